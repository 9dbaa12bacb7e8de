import type { CatalogQuery, CatalogRun } from "../store.ts";
import { isText, optional, wholeFrom } from "./store-options.ts";
import type { OptionCheck } from "./store-options.ts";

/** What a catalogue's calls may be given (STORE-7). */

export type CountQuery = Pick<CatalogQuery, "status" | "prefix">;

const statuses: Readonly<Record<CatalogRun["status"], true>> = { running: true, completed: true, failed: true };

export const countOptions = {
  status: optional(
    (value) => isText(value) && Object.hasOwn(statuses, value),
    `one of ${Object.keys(statuses).join(", ")}`,
  ),
  prefix: optional(isText, "the text that run ids begin with"),
} satisfies Readonly<Record<keyof CountQuery, OptionCheck>>;

export const listOptions: Readonly<Record<keyof CatalogQuery, OptionCheck>> = {
  ...countOptions,
  after: optional(isText, "the next of the page before"),
  limit: wholeFrom(1, "runs a page"),
};
