import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

/** Bytes of one bundle. */
export interface BundleSize {
  readonly minified: number;
  readonly gzip: number;
  readonly brotli: number;
}

/**
 * One minified ES module out of `code`, with everything it imports inside, as a browser's bundler would make it.
 * Imports are looked up from `folder`, in the sources, so that no build is needed.
 * `code` is JavaScript unless `loader` says otherwise: in TypeScript esbuild lets a re-exported name be missing, as it
 * could be a type.
 * @throws if anything imports `node:` or cannot be found
 */
export async function bundle(code: string, folder: string, loader: "js" | "ts" = "js"): Promise<string> {
  const result = await build({
    stdin: { contents: code, resolveDir: folder, loader },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2023",
    conditions: ["@pulse-ts/source"],
    write: false,
    logLevel: "silent",
  });
  const [output] = result.outputFiles;
  if (output === undefined) throw new Error("bundling: esbuild wrote no file");
  return output.text;
}

/** What a bundle weighs, raw and at each compressor's best. */
export function sizeOf(text: string): BundleSize {
  const bytes = Buffer.from(text);
  return {
    minified: bytes.length,
    gzip: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }).length,
    brotli: brotliCompressSync(bytes).length,
  };
}
