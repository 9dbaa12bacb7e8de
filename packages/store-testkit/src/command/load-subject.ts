import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { shownError } from "../expectation.ts";
import { importSubject } from "../processes/import-subject.ts";
import { checkedSession, checkedStore } from "../store-shape.ts";
import type { StoreSubject } from "../subject.ts";

/** A store module that can be checked. */
export interface LoadedSubject {
  readonly subject: StoreSubject;
  /** Its absolute path. */
  readonly module: string;
}

/** Milliseconds for which the first place, the first open and the first acquire may take together. */
export const firstOpenMsMax = 60_000;

/**
 * Loads a store module and opens its store once. @throws an Error that says what is wrong with the file, with what it
 * exports, with a place, or with what `open` gives
 */
export async function loadSubject(path: string): Promise<LoadedSubject> {
  const module = resolve(path);
  const found = await stat(module).catch(() => undefined);
  if (found === undefined) throw new Error(`there is no file ${module}; give the path of a store module`);
  if (!found.isFile()) throw new Error(`${module} is no file; give the path of a store module`);
  const subject = await importSubject(module).catch((error: unknown) => {
    throw new Error(`loading ${path}: ${shownError(error)}${hintFor(path, error)}`, { cause: error });
  });
  await inTime(firstOpenMsMax, openOnce(subject));
  return { subject, module };
}

/** Node before 22.18 does not run TypeScript by itself. */
function hintFor(path: string, error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  const isUnknown = code === "ERR_UNKNOWN_FILE_EXTENSION" || error instanceof SyntaxError;
  return isUnknown && /\.[cm]?tsx?$/.test(path)
    ? "; for TypeScript use Node 22.18 or later, or set NODE_OPTIONS=--import=tsx"
    : "";
}

async function openOnce(subject: StoreSubject): Promise<void> {
  const { name } = subject;
  const doing = async <Result>(what: string, call: () => Promise<Result> | Result): Promise<Result> => {
    try {
      return await call();
    } catch (error) {
      throw new Error(`${what} of the store "${name}" failed: ${shownError(error)}`, { cause: error });
    }
  };
  const place = await doing("newPlace", () => subject.newPlace());
  if (typeof place !== "string" || place === "") {
    throw new Error(`newPlace of the store "${name}" gave ${String(place)}; wanted: a text that open takes`);
  }
  const store = checkedStore(name, await doing("open", () => subject.open(place)));
  const session = checkedSession(await doing("acquire", () => store.acquire("pulse-store-check")));
  await doing("close of a session", () => session.close());
  await doing("close", () => store.close?.());
  await doing("removePlace", () => subject.removePlace?.(place));
}

async function inTime<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`newPlace, open and a first acquire have not ended within ${ms} ms`)),
      ms,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
