import { createHash } from "node:crypto";
import { inspect } from "node:util";

/** A text that must be nowhere, and everything that it could be recognised by. */
export interface Marked {
  readonly name: string;
  /** As found in bytes, in one of its spellings. */
  readonly spellings: ReadonlyMap<string, string>;
}

/** The spellings of a secret: as it is, escaped, in base64 at each alignment, in hex, and its hashes. */
export function marked(name: string, secret: string): Marked {
  const bytes = Buffer.from(secret);
  const spellings = new Map<string, string>([
    ["utf8", bytes.toString("latin1")],
    ["latin1", secret],
    ["utf16", Buffer.from(secret, "utf16le").toString("latin1")],
    ["JSON", Buffer.from(JSON.stringify(secret).slice(1, -1)).toString("latin1")],
    ["JSON twice", Buffer.from(JSON.stringify(JSON.stringify(secret)).slice(3, -3)).toString("latin1")],
    ["JSON in ASCII", inAscii(secret)],
    ["inspected", Buffer.from(inspect(secret).slice(1, -1)).toString("latin1")],
    ["percent", encodeURIComponent(secret)],
    ["hex", bytes.toString("hex")],
    ["HEX", bytes.toString("hex").toUpperCase()],
    ["numbers", [...bytes].join(", ")],
    ["numbers without spaces", [...bytes].join(",")],
  ]);
  for (const shift of [0, 1, 2]) {
    // Whatever stands in front moves the secret inside the groups of base64; the first and the last may hold other bits.
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const own = text.slice(shift === 0 ? 0 : 4, -2);
    spellings.set(`base64 ${shift}`, own);
    spellings.set(`base64url ${shift}`, own.replaceAll("+", "-").replaceAll("/", "_"));
  }
  for (const [what, content] of [
    ["text", secret],
    ["JSON", JSON.stringify(secret)],
  ] as const) {
    const hash = createHash("sha256").update(content).digest();
    spellings.set(`SHA-256 of ${what}`, hash.toString("hex").slice(0, 16));
    spellings.set(`SHA-256 of ${what} in base64`, hash.toString("base64").slice(0, 16));
    spellings.set(`SHA-256 of ${what} in bytes`, hash.toString("latin1").slice(0, 8));
    const twice = createHash("sha256").update(hash.toString("hex")).digest("hex");
    spellings.set(`SHA-256 of SHA-256 of ${what}`, twice.slice(0, 16));
  }
  return { name, spellings };
}

function inAscii(secret: string): string {
  return JSON.stringify(secret)
    .slice(1, -1)
    .replaceAll(/[^\u0020-\u007e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** What was captured, by where it was seen: bytes as latin1, so that any byte can be searched for. */
export class Captured {
  readonly #seen = new Map<string, string>();

  bytes(where: string, bytes: Uint8Array): void {
    this.#seen.set(`${where} (${this.#seen.size})`, Buffer.from(bytes).toString("latin1"));
  }

  text(where: string, text: string): void {
    this.bytes(where, Buffer.from(text));
  }

  /** Whatever can be seen of a value: inspected in depth with what is hidden, as JSON, its stacks and causes, its bytes. */
  value(where: string, value: unknown): void {
    this.text(
      where,
      inspect(value, { depth: Infinity, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    );
    this.text(`${where} as JSON`, jsonOf(value));
    this.#walk(where, value, new Set());
  }

  get places(): number {
    return this.#seen.size;
  }

  /** All that was captured, place by place. */
  *contents(): Generator<readonly [string, string]> {
    yield* this.#seen;
  }

  /** Where which secret was seen, in which spelling. */
  traces(secrets: readonly Marked[]): readonly string[] {
    const found: string[] = [];
    for (const [where, content] of this.#seen) {
      for (const { name, spellings } of secrets) {
        for (const [spelling, text] of spellings) {
          if (content.includes(text)) found.push(`${where}: ${name} as ${spelling}`);
        }
      }
    }
    return found;
  }

  #walk(where: string, value: unknown, seen: Set<object>): void {
    if (typeof value === "string") return this.text(where, value);
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof Uint8Array) return this.bytes(where, value);
    if (value instanceof Map) for (const [key, item] of value) this.#walk(`${where}/${String(key)}`, [key, item], seen);
    for (const key of Reflect.ownKeys(value)) {
      const part: unknown = Reflect.get(value, key);
      this.#walk(`${where}/${String(key)}`, part, seen);
    }
  }
}

function jsonOf(value: unknown): string {
  const around = new Set<unknown>();
  return (
    JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === "bigint" || typeof part === "function") return String(part);
      if (typeof part !== "object" || part === null) return part;
      if (around.has(part)) return "[again]";
      around.add(part);
      return part instanceof Map ? [...part] : part;
    }) ?? ""
  );
}

/**
 * Everything in what was captured that may be a hash of which the first 16 hexadecimal digits are known: in hexadecimal, in
 * base64, as bytes.
 */
export function hashesIn(captured: Captured): ReadonlySet<string> {
  const prefixes = new Set<string>();
  for (const [, content] of captured.contents()) {
    for (const [digits] of content.matchAll(/[0-9a-fA-F]{16,}/g)) {
      for (let at = 0; at + 16 <= digits.length; at++) prefixes.add(digits.slice(at, at + 16).toLowerCase());
    }
    for (const [text] of content.matchAll(/[A-Za-z0-9+/_-]{11,}/g)) {
      for (let at = 0; at + 11 <= text.length; at++)
        prefixes.add(
          Buffer.from(text.slice(at, at + 11), "base64")
            .subarray(0, 8)
            .toString("hex"),
        );
    }
    const bytes = Buffer.from(content, "latin1");
    for (let at = 0; at + 8 <= bytes.length; at++) prefixes.add(bytes.subarray(at, at + 8).toString("hex"));
  }
  return prefixes;
}
