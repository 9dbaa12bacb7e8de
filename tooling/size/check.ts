import { fileURLToPath } from "node:url";
import type { Report } from "../source/report.ts";
import { bundle, sizeOf, type BundleSize } from "./bundle.ts";

/** Graph, run, retry and timeout, minified and gzipped (CORE-39). */
export const coreBytesMax: number = 8 * 1024;

/** What a user of plain graphs imports. */
export const coreEntry = `export { graph, key, node, type, run, retry, timeout } from "@pulse-ts/core";`;

const here = fileURLToPath(new URL(".", import.meta.url));

/** Measures what the main names of core weigh in a user's bundle. */
export async function measureCore(): Promise<BundleSize> {
  return sizeOf(await bundle(coreEntry, here));
}

/** The size against its limit. */
export function sizeReport(size: BundleSize, bytesMax: number): Report {
  const over = size.gzip - bytesMax;
  return {
    name: "size",
    counted: { "bytes minified": size.minified, "bytes gzip": size.gzip, "bytes brotli": size.brotli },
    problems: over > 0 ? [`@pulse-ts/core: ${size.gzip} bytes gzipped are ${over} over the limit of ${bytesMax}`] : [],
    notes: [`${((100 * size.gzip) / bytesMax).toFixed(1)} % of the limit of ${bytesMax} bytes gzipped`],
  };
}
