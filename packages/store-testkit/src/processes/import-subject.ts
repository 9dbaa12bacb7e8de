import { pathToFileURL } from "node:url";
import type { StoreSubject } from "../subject.ts";

/**
 * Loads a store module by its path. @throws what the module throws while it is loaded, and an Error that says what is
 * missing when it exports no subject
 */
export async function importSubject(module: string): Promise<StoreSubject> {
  return subjectIn(module, (await import(pathToFileURL(module).href)) as StoreModule);
}

/** What a file exports: it is looked at before it is used. */
interface StoreModule {
  readonly subject?: unknown;
  readonly default?: unknown;
}

/** The subject among what a module exports. @throws an Error that says what is missing when there is none */
export function subjectIn(module: string, exported: StoreModule): StoreSubject {
  const subject = exported.subject ?? exported.default;
  if (isSubject(subject)) return subject;
  const missing =
    subject === undefined ? "neither `subject` nor a default" : "a `subject` without a name, newPlace or open";
  throw new Error(`the store module ${module} exports ${missing}; export a StoreSubject as \`subject\``);
}

function isSubject(value: unknown): value is StoreSubject {
  if (typeof value !== "object" || value === null) return false;
  const { name, newPlace, open } = value as Readonly<Record<string, unknown>>;
  return typeof name === "string" && typeof newPlace === "function" && typeof open === "function";
}
