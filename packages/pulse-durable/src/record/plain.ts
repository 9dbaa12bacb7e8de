/**
 * An entry as plain JSON data, and back. In every entry a field named `bytes` is a `Uint8Array`, written as base64 with
 * padding, and nothing else is one; so the name alone tells, whatever the kind of entry.
 */

/** How deep an entry may be nested. What Pulse writes has four levels; unknown header fields may have more. */
export const entryDepthMax = 100;

/** Says what is wrong with a piece of data and where inside the entry it stands. */
export interface PlainProblem {
  readonly problem: string;
}

/** A value, or what is wrong with it. */
export type Plain = { readonly value: unknown } | PlainProblem;

/** A copy that `JSON.stringify` writes without loss. Strings are not looked at: see {@link illFormedPlace}. */
export function toPlain(value: unknown): Plain {
  return convert(value, bytesToText);
}

/** A copy of parsed JSON with its bytes restored and its strings and keys checked (REC-15). */
export function fromPlain(json: unknown): Plain {
  return convert(json, textToBytes);
}

/** As {@link toPlain}, but each bytes field is taken out into `bytes`, and its place there stands for it. */
export function toPlainBeside(value: unknown, bytes: Uint8Array[]): Plain {
  return convert(value, {
    checkStrings: false,
    bytes: (part) => (part instanceof Uint8Array ? { value: bytes.push(part) - 1 } : noBytes),
  });
}

/** The way back: each of `bytes` must be asked for once, in order. They are taken as they are, not copied. */
export function fromPlainBeside(json: unknown, bytes: readonly Uint8Array[]): Plain {
  let next = 0;
  const found = convert(json, {
    checkStrings: true,
    bytes: (part) =>
      part === next && next < bytes.length
        ? { value: bytes[next++] }
        : { problem: `is not the place of its bytes, ${next} of ${bytes.length}` },
  });
  return "problem" in found || next === bytes.length
    ? found
    : { problem: `the entry takes ${next} of ${bytes.length} pieces of bytes` };
}

/** The first string or key with an unpaired surrogate, as a place inside the value (REC-15); or what else is no plain data. */
export function illFormedPlace(value: unknown): string | undefined {
  // Nearly all are sound, which is told without a path and a copy.
  if (isSound(value, 0)) return undefined;
  const found = convert(value, refuseIllFormed);
  return "problem" in found ? found.problem : undefined;
}

/** Whether a string has no unpaired surrogate. */
export function isWellFormed(text: string): boolean {
  return !unpairedSurrogate.test(text);
}

/** A copy whose unpaired surrogates are replaced by U+FFFD, for texts that others wrote (an error's message). */
export function toWellFormed(text: string): string {
  return isWellFormed(text) ? text : text.replace(everyUnpairedSurrogate, "\uFFFD");
}

// With the flag u a pair is one code point, so only a surrogate that stands alone matches.
const unpairedSurrogate = /\p{Surrogate}/u;
const everyUnpairedSurrogate = /\p{Surrogate}/gu;

interface Direction {
  /** Turns what stands under a field named `bytes`. */
  bytes(value: unknown): Plain;
  /** Whether strings and keys are checked. */
  readonly checkStrings: boolean;
}

const noBytes: PlainProblem = { problem: "is no Uint8Array, as a field of this name must be" };

const bytesToText: Direction = {
  checkStrings: false,
  bytes: (value) =>
    value instanceof Uint8Array
      ? { value: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("base64") }
      : noBytes,
};

const textToBytes: Direction = {
  checkStrings: true,
  bytes(value) {
    if (typeof value !== "string") return { problem: "is no base64 text" };
    const bytes = Buffer.from(value, "base64");
    // Node reads what is not base64 as less or other bytes; only the canonical text comes back as it was.
    if (bytes.toString("base64") !== value) return { problem: "is no base64 text with padding" };
    // A copy: a small buffer shares its memory with others.
    return { value: new Uint8Array(bytes) };
  },
};

const refuseIllFormed: Direction = {
  checkStrings: true,
  bytes: (value) =>
    value instanceof Uint8Array ? { value } : { problem: "is no bytes, as a field of this name must be" },
};

function convert(value: unknown, direction: Direction): Plain {
  const path: (string | number)[] = [];
  let problem: string | undefined;

  const refuse = (text: string): undefined => {
    const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${step}`));
    problem ??= `${steps.length === 0 ? "the entry" : steps.join("")} ${text}`;
    return undefined;
  };
  const visit = (part: unknown, step: string | number): unknown => {
    path.push(step);
    const copy = step === "bytes" ? visitBytes(part) : visitPlain(part);
    path.pop();
    return copy;
  };
  const visitBytes = (part: unknown): unknown => {
    const turned = direction.bytes(part);
    return "problem" in turned ? refuse(turned.problem) : turned.value;
  };
  const visitPlain = (part: unknown): unknown => {
    switch (typeof part) {
      case "string":
        return direction.checkStrings && !isWellFormed(part) ? refuse("has an unpaired surrogate") : part;
      case "boolean":
        return part;
      case "number":
        return Number.isFinite(part) && !Object.is(part, -0) ? part : refuse(`is ${Object.is(part, -0) ? "-0" : part}`);
      case "object":
        if (part === null) return part;
        if (path.length > entryDepthMax) return refuse(`is nested deeper than ${entryDepthMax}`);
        return Array.isArray(part) ? visitArray(part) : visitObject(part);
      default:
        return refuse(`is ${part === undefined ? "undefined" : `a ${typeof part}`}`);
    }
  };
  const visitArray = (items: readonly unknown[]): unknown[] => {
    const copy: unknown[] = [];
    // By index: a hole is undefined, and is refused like it.
    for (let at = 0; at < items.length; at += 1) {
      copy.push(visit(items[at], at));
      if (problem !== undefined) break;
    }
    return copy;
  };
  const visitObject = (source: object): unknown => {
    const prototype: unknown = Object.getPrototypeOf(source);
    if (prototype !== Object.prototype && prototype !== null) return refuse("is no plain object");
    const copy: Record<string, unknown> = {};
    for (const [key, part] of Object.entries(source)) {
      if (direction.checkStrings && !isWellFormed(key)) return refuse("has a key with an unpaired surrogate");
      const turned = visit(part, key);
      if (problem !== undefined) return undefined;
      // An assignment to this name would set the copy's prototype.
      if (key === "__proto__") Object.defineProperty(copy, key, { ...ownField, value: turned });
      else copy[key] = turned;
    }
    return copy;
  };

  const copy = visitPlain(value);
  return problem === undefined ? { value: copy } : { problem };
}

/** Whether `illFormedPlace` has nothing to tell; it may say no of what is sound after all. */
function isSound(value: unknown, depth: number): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== "object" || value === null) return typeof value === "boolean" || value === null;
  if (depth >= entryDepthMax) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) if (!isSound(value[at], depth + 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of Object.keys(value)) {
    const part = (value as Readonly<Record<string, unknown>>)[key];
    const sound = key === "bytes" ? part instanceof Uint8Array : isSound(part, depth + 1);
    if (!sound || !isWellFormed(key)) return false;
  }
  return true;
}

const ownField = { configurable: true, enumerable: true, writable: true } as const;
