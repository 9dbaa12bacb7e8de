import { describe, expect, test } from "vitest";
import { execution, graph, isPulseError, node, optional, type AnyKey } from "../index.ts";
import { deferred, turn, type Deferred } from "../testing/deferred.ts";
import { eventLog } from "../testing/event-log.ts";
import { fakeHost } from "../testing/fake-host.ts";
import { numberKey } from "../testing/keys.ts";

/** What becomes of one parent of the join. */
type Fate = "ready" | "skipped" | "never";

interface Parent {
  readonly fate: Fate;
  readonly optional: boolean;
}

interface Verdict {
  readonly reason: "completed" | "skipped" | "canceled";
  readonly started: boolean;
}

/** The contract in words: CORE-5, CORE-6, CORE-7 and CORE-11 for a join that reads all its keys. */
function documented(parents: readonly Parent[]): Verdict {
  if (parents.some(({ fate }) => fate === "never")) return { reason: "canceled", started: false };
  const strict = parents.filter((parent) => !parent.optional);
  if (strict.length > 0 && parents.every(({ fate }) => fate === "skipped"))
    return { reason: "skipped", started: false };
  const hurt = strict.some(({ fate }) => fate === "skipped");
  return { reason: hurt ? "skipped" : "completed", started: true };
}

function permutations(count: number): number[][] {
  if (count === 0) return [[]];
  return permutations(count - 1).flatMap((rest) =>
    Array.from({ length: count }, (_value, at) => [...rest.slice(0, at), count - 1, ...rest.slice(at)]),
  );
}

/** All ways to give each of `count` parents one of the choices. */
function choicesFor<Choice>(count: number, choices: readonly Choice[]): Choice[][] {
  if (count === 0) return [[]];
  return choicesFor(count - 1, choices).flatMap((rest) => choices.map((choice) => [...rest, choice]));
}

const joined = numberKey("joined");

/** Decides the parents in the given order, each in its own turn, and tells what became of the join. */
async function verdictOf(
  parents: readonly Parent[],
  order: readonly number[],
): Promise<Verdict & { early: boolean; all: string[] }> {
  const gates = parents.map((): Deferred<void> => deferred());
  const keys = parents.map((_parent, index): AnyKey => numberKey(`key${index}`));
  let decided = 0;
  let startedAt = -1;
  const providers = keys.map((provided, index) =>
    node(`parent${index}`, { provides: [provided] }, async (_values, context) => {
      await gates.at(index)?.promise;
      const fate = parents.at(index)?.fate;
      if (fate === "never") throw new Error("never");
      return { [provided.name]: fate === "ready" ? index : context.skip(provided) };
    }),
  );
  const requires = keys.map((required, index) =>
    parents.at(index)?.optional === true ? optional(required) : required,
  );
  const join = node("join", { requires, provides: [joined] }, (_values, context) => {
    startedAt = decided;
    let sum = 0;
    for (const required of keys) sum += Number(context.get(required) ?? 0);
    return { joined: sum };
  });
  const log = eventLog();
  const whole = graph("whole", { outputs: [joined], nodes: [...providers, join] });
  const handle = execution(whole, {}, { observers: [log.observer], host: fakeHost() });
  handle.start();
  for (const index of order) {
    decided++;
    gates.at(index)?.resolve();
    await turn();
  }
  const outcome = await handle.wait().catch((error: unknown) => {
    if (!isPulseError(error, "PULSE_EXECUTION_FAILED")) throw error;
    return undefined;
  });
  const inSnapshot = handle.snapshot().nodes.find(({ path }) => path === "join")?.reason;
  const port = handle.snapshot().keys.find(({ name }) => name === "joined")?.state;
  return {
    reason: log.reasonOf("join") as Verdict["reason"],
    started: startedAt >= 0,
    early: startedAt >= 0 && startedAt < parents.length,
    all: [String(inSnapshot), String(port), outcome === undefined ? "none" : outcome.outputs.joined.state],
  };
}

/** The verdict as the snapshot, the port and the outcome tell it: all the same (CORE-36). */
const toldBy = {
  completed: ["completed", "ready", "ready"],
  skipped: ["skipped", "skipped", "skipped"],
  canceled: ["canceled", "pending", "none"],
} as const;

const fates: readonly Fate[] = ["ready", "skipped", "never"];

describe.each([1, 2, 3, 4])("%i parents", (count) => {
  const markings = choicesFor(count, [false, true]);
  test.each(
    markings.map((marking) => [marking.map((each) => (each ? "optional" : "required")).join(", "), marking] as const),
  )(
    "G18 CORE-36 CORE-5 CORE-6 CORE-7 all orders of all fates give the documented verdict, once: %s",
    async (_name, marking) => {
      for (const fate of choicesFor(count, fates)) {
        const parents = fate.map((each, index): Parent => ({ fate: each, optional: marking.at(index) === true }));
        const expected = documented(parents);
        for (const order of permutations(count)) {
          const found = await verdictOf(parents, order);
          expect(found, `${JSON.stringify(parents)} in order ${order.join("")}`).toEqual({
            ...expected,
            early: false,
            all: toldBy[expected.reason],
          });
        }
      }
    },
  );
});
