import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlockFile } from "./compile.ts";

/** How a block ended. */
export type BlockEnd = { readonly kind: "returned" } | { readonly kind: "threw"; readonly error: unknown };

/** Runs a block in an empty working folder, so that `./runs` of an example is its own, and without its printing. */
export async function runBlock({ file }: BlockFile): Promise<BlockEnd> {
  const before = process.cwd();
  const folder = mkdtempSync(join(tmpdir(), "pulse-doc-"));
  const log = console.log;
  console.log = () => undefined;
  process.chdir(folder);
  try {
    await import(/* @vite-ignore */ file);
    return { kind: "returned" };
  } catch (error) {
    return { kind: "threw", error };
  } finally {
    process.chdir(before);
    console.log = log;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The codes that an error answers to: its own, and those of the problems it lists. None if it is not Pulse's. */
export function codesOf(error: unknown): string[] {
  if (typeof error !== "object" || error === null || !("code" in error) || typeof error.code !== "string") return [];
  const details = "details" in error ? error.details : undefined;
  const problems =
    typeof details === "object" && details !== null && "problems" in details && Array.isArray(details.problems)
      ? details.problems.map((problem: { readonly code: string }) => problem.code)
      : [];
  return [error.code, ...problems];
}

/** Why the block failed as a test, or undefined. */
export function verdict(throws: string | undefined, end: BlockEnd): string | undefined {
  if (throws === undefined) return end.kind === "threw" ? `threw ${String(end.error)}` : undefined;
  if (end.kind === "returned") return `must throw ${throws}, but ended well`;
  const codes = codesOf(end.error);
  return codes.includes(throws)
    ? undefined
    : `must throw ${throws}, but threw ${codes.join(", ")} ${String(end.error)}`;
}
