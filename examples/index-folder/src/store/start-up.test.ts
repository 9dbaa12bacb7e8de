import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { driversWhereTheyAre } from "../testing/job-child.ts";

const main = resolve(import.meta.dirname, "..", "main.ts");

test("the program starts without any store's package: each is loaded when it is asked for", async () => {
  const { metafile } = await build({
    entryPoints: [main],
    outdir: "nowhere",
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    conditions: ["@pulse-ts/source"],
    plugins: [driversWhereTheyAre],
    logLevel: "silent",
  });
  const outputs = Object.entries(metafile.outputs);
  const [entry] = outputs.find(([, { entryPoint }]) => entryPoint?.endsWith("main.ts")) ?? [];
  const atStart = new Set<string>();
  const waiting = [entry];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const output = metafile.outputs[name];
    if (output === undefined || atStart.has(name)) continue;
    atStart.add(name);
    waiting.push(...output.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) => path));
  }
  const sourcesOf = (name: string): string[] => Object.keys(metafile.outputs[name]?.inputs ?? {});
  const started = [...atStart].flatMap(sourcesOf).join("\n");
  const all = outputs.flatMap(([name]) => sourcesOf(name)).join("\n");
  for (const store of ["packages/filestore/", "packages/sqlite-store/", "packages/pgstore/"]) {
    expect(all).toContain(store);
    expect(started).not.toContain(store);
  }
  const drivers = outputs
    .filter(([name]) => atStart.has(name))
    .flatMap(([, { imports }]) => imports)
    .filter(({ path }) => path.startsWith("file:"));
  expect(drivers).toEqual([]);
});
