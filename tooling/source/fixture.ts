import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary repository with planted files, removed when it is disposed of. */
export interface Fixture extends Disposable {
  readonly root: string;
}

/** Writes `files` (path -> content; objects become JSON) under a new temporary folder. */
export function plant(files: Readonly<Record<string, string | object>>): Fixture {
  const root = mkdtempSync(join(tmpdir(), "pulse-check-"));
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
