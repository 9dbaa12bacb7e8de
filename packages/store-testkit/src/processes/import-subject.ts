import { pathToFileURL } from "node:url";
import type { StoreSubject } from "../subject.ts";

/**
 * Loads a store module by its path. @throws what the module throws while it is loaded, and an Error that says what is
 * missing when it exports no subject
 */
export async function importSubject(module: string): Promise<StoreSubject> {
  // Whatever the file exports: it is looked at before it is used.
  const exported = (await import(pathToFileURL(module).href)) as {
    readonly subject?: unknown;
    readonly default?: unknown;
  };
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
