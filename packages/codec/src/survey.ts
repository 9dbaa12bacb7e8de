import { isEncrypting } from "./codec.ts";
import { valueBytesMax } from "./limits.ts";
import type { Place, Step } from "./place.ts";
import { isLiveChannel, liveChannelReason, whatIsIt } from "./what-is-it.ts";
import { fieldPlan, type WirePlan } from "./wire-plan.ts";

/**
 * Looks through a value before a schema does: finds live channels wherever they hide, also in fields that the schema would drop (CODEC-10, STR-14),
 * what is nested too deep for any schema's recursion (CODEC-12), proxies whose traps throw (CODEC-7), and, where the schema asks for
 * a plain object, class instances and accessors, which a schema would turn into plain data without a word (CODEC-7).
 * Visits each object once; runs no getter.
 */
export function survey(value: unknown, plan: WirePlan | undefined, place: Place): void {
  new Surveyor(place).visit(value, plan);
}

class Surveyor {
  readonly #place: Place;
  readonly #seen = new Set<object>();

  constructor(place: Place) {
    this.#place = place;
  }

  visit(value: unknown, plan: WirePlan | undefined): void {
    if (typeof value !== "object" || value === null) return;
    if (this.#seen.has(value)) return;
    this.#seen.add(value);
    const bare = bareOf(plan);
    // An encrypted part has no parts that stand in the clear, so the place stays sealed until the part is left.
    const sealed = bare?.kind === "codec" && isEncrypting(bare.codec);
    if (sealed) this.#place.seal();
    this.#visitObject(value, bare);
    if (sealed) this.#place.unseal();
  }

  #visitObject(value: object, bare: WirePlan | undefined): void {
    if (isLiveChannel(value)) this.#place.refuse(liveChannelReason);
    // What `structured()` writes it looks through itself, with the same limits.
    if (bare?.kind === "structured" && bare.around.length === 0) return;
    this.#place.openContainer();
    if (Array.isArray(value)) this.#visitItems(value, bare);
    else if (value instanceof Map) this.#visitMap(value);
    else if (value instanceof Set) this.#visitSet(value);
    else this.#visitFields(value, bare);
  }

  #inside(step: Step, value: unknown, plan: WirePlan | undefined): void {
    this.#place.enter(step);
    this.visit(value, plan);
    this.#place.leave();
  }

  #visitItems(value: readonly unknown[], plan: WirePlan | undefined): void {
    // A schema walks every index, holes too: an array that cannot fit is refused before that.
    if (value.length * 2 > valueBytesMax) this.#place.refuseSize(value.length * 2);
    // Zod refuses anything but scalars there, and arrays of numbers can be long.
    if (plan?.kind === "array" && bareOf(plan.item)?.kind === "scalar") return;
    for (let index = 0; index < value.length; index++) {
      const descriptor = Object.getOwnPropertyDescriptor(value, index);
      if (descriptor === undefined) continue;
      if (!("value" in descriptor)) this.#refuseAccessor(index);
      if (typeof descriptor.value === "object") this.#inside(index, descriptor.value, itemPlan(plan, index));
    }
  }

  #visitMap(value: ReadonlyMap<unknown, unknown>): void {
    let index = 0;
    for (const [key, item] of value) {
      this.#inside({ inside: `Map key ${index}` }, key, undefined);
      this.#inside({ inside: `Map value ${index}` }, item, undefined);
      index++;
    }
  }

  #visitSet(value: ReadonlySet<unknown>): void {
    let index = 0;
    for (const item of value) this.#inside({ inside: `Set item ${index++}` }, item, undefined);
  }

  #visitFields(value: object, plan: WirePlan | undefined): void {
    const prototype: unknown = Object.getPrototypeOf(value);
    const plain = prototype === Object.prototype || prototype === null;
    const known = plan?.kind === "object" || plan?.kind === "record";
    if (!plain) {
      if (known) {
        this.#place.refusePromise(value);
        this.#place.refuse(
          `${whatIsIt(value)} would come back as a plain object; hand on a plain one, or use z.codec()`,
        );
      }
      return;
    }
    for (const name of Object.keys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, name);
      if (descriptor === undefined) continue;
      const field = namedPlan(plan, name);
      const kept = field !== undefined || plan?.kind === "alternatives";
      if (name === "__proto__" && kept) {
        this.#refuseField(name, 'zod drops a field named "__proto__" without a word; use a Map');
      }
      if (!("value" in descriptor)) {
        if (kept) this.#refuseAccessor(name);
      } else if (typeof descriptor.value === "object") this.#inside(name, descriptor.value, field);
    }
  }

  #refuseAccessor(step: Step): never {
    return this.#refuseField(step, "it is an accessor (a getter or setter), which cannot come back as one");
  }

  #refuseField(step: Step, reason: string): never {
    this.#place.enter(step);
    this.#place.refuse(reason);
  }
}

function itemPlan(plan: WirePlan | undefined, index: number): WirePlan | undefined {
  if (plan?.kind === "array") return plan.item;
  return plan?.kind === "tuple" ? (plan.items[index] ?? plan.rest) : undefined;
}

function namedPlan(plan: WirePlan | undefined, name: string): WirePlan | undefined {
  if (plan?.kind === "record") return plan.value;
  return plan?.kind === "object" ? fieldPlan(plan, name) : undefined;
}

/** The plan under wrappers that say nothing about the shape; nothing where a codec of the schema turns values into another one. */
function bareOf(plan: WirePlan | undefined): WirePlan | undefined {
  let bare = plan;
  for (let wrappers = 0; bare !== undefined && wrappers < 1_000; wrappers++) {
    if (bare.kind === "optional" || bare.kind === "nullable") bare = bare.inner;
    else if (bare.kind === "same") bare = bare.turned ? undefined : bare.target;
    else return bare;
  }
  return undefined;
}
