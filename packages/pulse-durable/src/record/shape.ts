import { mapOfKind } from "./entry-key.ts";
import type { EntryKind } from "./entry-key.ts";
import { recordFormat } from "./format.ts";

/** One field's rule: what is wrong with the value, or nothing. */
type Rule = (value: unknown) => string | undefined;

/** What the fields of an entry are. A field that is not listed is refused, unless `open`. */
interface Shape {
  readonly required: Readonly<Record<string, Rule>>;
  readonly optional?: Readonly<Record<string, Rule>>;
  readonly open?: true;
}

/**
 * Says what is wrong with an entry's fields and their types, field first; `undefined` when nothing is.
 * The form of ids and digests, and all that needs a second entry, is the integrity check's (REC-17, REC-18).
 */
export function shapeProblem(kind: EntryKind | "header", entry: unknown): string | undefined {
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return "is no object";
  return fieldsProblem(shapes[kind], entry as Readonly<Record<string, unknown>>);
}

function fieldsProblem(shape: Shape, entry: Readonly<Record<string, unknown>>): string | undefined {
  for (const field in shape.required) {
    if (!Object.hasOwn(entry, field)) return `${field} is missing`;
  }
  for (const field of Object.keys(entry)) {
    const rule = own(shape.required, field) ?? own(shape.optional, field);
    if (rule === undefined) {
      if (shape.open && !mapNames.has(field)) continue;
      return `${field} is no field of this entry`;
    }
    const wrong = rule(entry[field]);
    if (wrong !== undefined) return wrong.startsWith(".") ? `${field}${wrong}` : `${field} ${wrong}`;
  }
  return undefined;
}

/** In a document these stand beside the header's own fields (REC-26), so none of those can have their names. */
const mapNames: ReadonlySet<string> = new Set(Object.values(mapOfKind));

function own(rules: Readonly<Record<string, Rule>> | undefined, field: string): Rule | undefined {
  return rules !== undefined && Object.hasOwn(rules, field) ? rules[field] : undefined;
}

const text: Rule = (value) => (typeof value === "string" ? undefined : "is no text");
const truth: Rule = (value) => (typeof value === "boolean" ? undefined : "is neither true nor false");
const countFrom =
  (least: number, most = Number.MAX_SAFE_INTEGER): Rule =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? undefined
      : `is no whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`}`;
const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(value as string) ? undefined : `is none of ${words.join(", ")}`;
const bytes: Rule = (value) => (value instanceof Uint8Array ? undefined : "is no bytes");
const object =
  (shape: Shape): Rule =>
  (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "is no object";
    const wrong = fieldsProblem(shape, value as Readonly<Record<string, unknown>>);
    return wrong === undefined ? undefined : `.${wrong}`;
  };
const listOf =
  (item: Rule): Rule =>
  (value) => {
    if (!Array.isArray(value)) return "is no list";
    for (let at = 0; at < value.length; at += 1) {
      const wrong = item(value[at]);
      if (wrong !== undefined) return wrong.startsWith(".") ? `.${at}${wrong}` : `.${at} ${wrong}`;
    }
    return undefined;
  };

const textByName: Rule = (value) =>
  typeof value === "object" &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((part) => typeof part === "string")
    ? undefined
    : "is no table of texts";

const valueHead = { name: text, codec: text, codecVersion: text };
const ready = { ...valueHead, state: oneOf("ready"), digest: text };
const valueShapes: Readonly<Record<string, Shape>> = {
  bytes: { required: { ...ready, bytes } },
  content: {
    required: { ...ready, content: object({ required: { digest: text, size: countFrom(0) } }) },
  },
  skipped: { required: { ...valueHead, state: oneOf("skipped") } },
  stream: {
    required: {
      ...valueHead,
      state: oneOf("stream"),
      stream: object({
        required: { sourceId: text, attempt: text, capacity: countFrom(0) },
        optional: { end: oneOf("completed", "failed", "canceled") },
      }),
    },
  },
};

/** One output: its state says which fields it has, and only those (REC-8). */
const valueRecord: Rule = (value) => {
  if (typeof value !== "object" || value === null) return "is no object";
  const state: unknown = (value as { readonly state?: unknown }).state;
  const form = state === "ready" ? (Object.hasOwn(value, "content") ? "content" : "bytes") : state;
  if (form !== "bytes" && form !== "content" && form !== "skipped" && form !== "stream") {
    return ".state is none of ready, skipped, stream";
  }
  const wrong = fieldsProblem(valueShapes[form] as Shape, value as Readonly<Record<string, unknown>>);
  return wrong === undefined ? undefined : `.${wrong}`;
};

const readyValue: Rule = (value) =>
  valueRecord(value) ?? (stateOf(value) === "ready" ? undefined : "is no ready value");
const plainValue: Rule = (value) => valueRecord(value) ?? (stateOf(value) === "stream" ? "is a stream" : undefined);
const stateOf = (value: unknown): unknown => (value as { readonly state?: unknown }).state;
/** First and last sequence. */
const sequenceRun: Rule = (value) =>
  Array.isArray(value) && value.length === 2 && value.every((sequence) => Number.isSafeInteger(sequence))
    ? undefined
    : "is no run of sequences";

/** What a run counts up. Half of what a number can count: no run gets there, and a damaged one does not overflow. */
const countedMax = 2 ** 52;

const shapes: Readonly<Record<EntryKind | "header", Shape>> = {
  header: {
    required: {
      format: countFrom(1, recordFormat),
      runId: text,
      revision: countFrom(1),
      version: text,
      definition: text,
      inputs: text,
      rootScope: text,
      status: oneOf("running", "completed", "failed"),
      resumes: countFrom(0),
    },
    optional: { keyIds: listOf(text), codecKeys: textByName, failure: text, outline: textByName },
    open: true,
  },
  // That format 2 always has `bindings` is checked where the format is known (REC-28).
  scope: { required: { graph: text, path: text, inputs: text }, optional: { bindings: truth } },
  node: {
    required: {
      nodeId: text,
      attempt: text,
      reason: oneOf("completed", "skipped"),
      outputs: listOf(valueRecord),
    },
  },
  attempt: {
    required: {
      parent: text,
      nodeId: text,
      boundary: text,
      index: countFrom(1),
      limit: countFrom(1),
      state: oneOf("active", "failed", "confirmed"),
    },
  },
  stream: {
    required: {
      scope: text,
      nodeId: text,
      key: text,
      group: text,
      sourceId: text,
      attempt: text,
      generation: countFrom(1, countedMax),
      capacity: countFrom(1),
      resumable: truth,
      lastSequence: countFrom(0, countedMax),
      ackedThrough: countFrom(0),
      pending: listOf(sequenceRun),
      stopped: truth,
      end: oneOf("open", "completed", "failed", "canceled"),
    },
    optional: { cursor: readyValue },
  },
  message: { required: { value: readyValue } },
  try: { required: { limit: countFrom(1), state: oneOf("active", "failed", "confirmed") } },
  managed: { required: { values: listOf(plainValue) }, optional: { state: readyValue } },
};
