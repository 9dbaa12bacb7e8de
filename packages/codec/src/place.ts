import { types } from "node:util";
import { codecError, type CodecAction } from "./errors.ts";
import { depthMax, valueBytesMax } from "./limits.ts";
import { encodedParts, type Parts } from "./parts.ts";

/** A step from a container to what it holds: a property name, an index, or a place that has no name of its own. */
export type Step = string | number | { readonly inside: string };

/** What else there is to say about a refusal; see `Refusal`. */
export interface RefusalOptions {
  readonly cause?: unknown;
  readonly keyId?: string;
  readonly keyMissing?: boolean;
  readonly tellsNothing?: boolean;
}

/**
 * Where a codec is inside the value it walks, for limits and messages.
 * A walker enters before it looks at a part and leaves after it; when something throws in between,
 * the place still names the part that threw.
 */
export class Place {
  readonly action: CodecAction;
  readonly key: string | undefined;
  /** How parts with codecs of their own are written and read here. */
  readonly parts: Parts;
  readonly #steps: Step[] = [];
  #sealedAt = Infinity;
  #spent = 0;

  constructor(action: CodecAction, key: string | undefined, parts: Parts = encodedParts) {
    this.action = action;
    this.key = key;
    this.parts = parts;
  }

  enter(step: Step): void {
    this.#steps.push(step);
  }

  leave(): void {
    this.#steps.pop();
  }

  /** What stands inside here is encrypted: until it is left, paths end here (CODEC-11). */
  seal(): void {
    this.#sealedAt = this.#steps.length;
  }

  unseal(): void {
    this.#sealedAt = Infinity;
  }

  /** How many containers stand around this place. */
  get depth(): number {
    return this.#steps.length;
  }

  /** Refuses a container that stands too deep (CODEC-12). Call it for each container, before its parts. */
  openContainer(): void {
    if (this.#steps.length >= depthMax) {
      this.refuse(
        `it is nested deeper than ${depthMax} levels (depthMax), or contains itself where its schema cannot say so`,
        { tellsNothing: true },
      );
    }
  }

  /** Counts what was written here; characters, of which each is at least one byte. */
  spend(characters: number): void {
    this.#spent += characters;
    if (this.#spent > valueBytesMax) this.refuseSize(this.#spent);
  }

  refuseSize(bytes: number): never {
    this.refuse(
      `it has ${bytes} bytes or more here, and ${valueBytesMax} (valueBytesMax) are the most; keep big data outside and hand on its name`,
      { tellsNothing: true },
    );
  }

  get path(): string {
    return formatPath(this.steps);
  }

  get steps(): readonly Step[] {
    return this.#steps.slice(0, this.#sealedAt);
  }

  refuse(reason: string, options?: RefusalOptions): never {
    throw codecError({ action: this.action, key: this.key, path: this.path, reason, ...options });
  }

  /**
   * Refuses a promise, where a value was expected; call it before refusing a value for another reason. Says nothing of what
   * the promise holds.
   */
  refusePromise(value: unknown, inside: readonly Step[] = []): void {
    if (types.isPromise(value)) this.refuseInside(inside, promiseReason, { tellsNothing: true });
  }

  /** Refuses further inside than this place, where a schema says where. */
  refuseInside(steps: readonly Step[], reason: string, options?: RefusalOptions): never {
    const path = formatPath([...this.#steps, ...steps].slice(0, this.#sealedAt));
    throw codecError({ action: this.action, key: this.key, path, reason, ...options });
  }
}

const promiseReason = "it is a promise: was `await` forgotten?";

const plainName = /^[A-Za-z_$][\w$]*$/;

/** `lines[3].price`; names that are no identifiers stand in quotes. Long paths keep both ends. */
export function formatPath(steps: readonly Step[]): string {
  const shown: readonly Step[] =
    steps.length > 40
      ? [...steps.slice(0, 20), { inside: `… ${steps.length - 30} levels …` }, ...steps.slice(-10)]
      : steps;
  let text = "";
  for (const step of shown) {
    if (typeof step === "number") text += `[${step}]`;
    else if (typeof step === "object") text += `<${step.inside}>`;
    else if (plainName.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step.length > 100 ? `${step.slice(0, 100)}…` : step)}]`;
  }
  return text;
}
