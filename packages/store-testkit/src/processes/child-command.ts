import { fileURLToPath } from "node:url";

/** What Node is given to start a process with the store of a module. */
export async function childCommand(module: string): Promise<readonly string[]> {
  if (isSource()) return [await bundled(module)];
  // As this process was started: the module may be TypeScript.
  return [...process.execArgv, fileURLToPath(new URL("./store-child.js", import.meta.url)), module];
}

/** Run from its sources this package is under test itself, and in tests a store module is a source as well. */
const isSource = (): boolean => import.meta.url.endsWith(".ts");

const bundles = new Map<string, Promise<string>>();

async function bundled(module: string): Promise<string> {
  const found = bundles.get(module) ?? bundle(module);
  bundles.set(module, found);
  return await found;
}

async function bundle(module: string): Promise<string> {
  // Not part of what is built: so the compiler must not follow it.
  const place = new URL("./testing/bundled-child.ts", import.meta.url).href;
  const { bundledChild } = (await import(place)) as { readonly bundledChild: (path: string) => Promise<string> };
  return await bundledChild(module);
}
