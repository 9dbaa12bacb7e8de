/**
 * Every statement that the store sends, by what it is for: the one list that names them. A statement has to name its step,
 * so this is also the list of the points at which a test can fail, delay or end the store (KIT-2, KIT-6).
 */
export const steps = [
  "holder-connect",
  "holder-lock",
  "holder-register",
  "schema-look",
  "acquire",
  "load",
  "save",
  "save-look",
  "renew",
  "release",
  "content-read",
  "catalog-list",
  "catalog-count",
  "catalog-read",
  "delete-begin",
  "delete-run",
  "delete-commit",
  "collect-runs",
  "collect-read",
  "collect-uses",
  "collect-contents",
  "migrate-begin",
  "migrate-step",
  "migrate-commit",
] as const;

export type Step = (typeof steps)[number];

/** Called before a statement is sent, and after its answer came. What it throws counts as a lost connection there. */
export type AtMoment = (moment: "before" | "after", step: Step) => void | Promise<void>;
