import { describe, expect, test } from "vitest";
import { graph, node, run, type Context } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { anyKey, numberKey } from "../testing/keys.ts";
import { expectCode, rejectionOf } from "../testing/rejection.ts";

const given = numberKey("given");
const made = numberKey("made");
const stranger = numberKey("stranger");
const result = anyKey("result");

/** A body that TypeScript would refuse: a JavaScript user's. */
type LooseBody = (values: Readonly<Record<string, unknown>>, context: Context) => unknown;

const guilty = (body: LooseBody) =>
  graph("guilty", {
    inputs: [given],
    outputs: [made],
    nodes: [
      node("elsewhere", { provides: [stranger] }, () => ({ stranger: 1 })),
      node("guilty", { requires: [given], provides: [made, result] }, body as never),
    ],
  });

const faults: readonly (readonly [string, string, LooseBody])[] = [
  ["sets a key that it does not provide", "stranger", (_values, context) => context.set(stranger, 1)],
  ["sets a key that it requires", "given", (_values, context) => context.set(given, 1)],
  ["skips a key that it does not provide", "stranger", (_values, context) => context.skip(stranger)],
  ["returns a key that it does not provide", "stranger", () => ({ made: 1, stranger: 2 })],
  ["reads a name that it does not require", "stranger", (values) => ({ made: values["stranger"] })],
  ["gets a key that it does not require", "stranger", (_values, context) => ({ made: context.get(stranger) })],
  ["gets a key of its own that is not written", "made", (_values, context) => ({ result: context.get(made) })],
  ["sets a key twice", "made", (_values, context) => [context.set(made, 1), context.set(made, 2)]],
  ["sets a key and returns it with a value", "made", (_values, context) => (context.set(made, 1), { made: 2 })],
  ["sets a key and skips it", "made", (_values, context) => [context.set(made, 1), context.skip(made)]],
  ["skips a key and sets it", "made", (_values, context) => [context.skip(made), context.set(made, 1)]],
  ["skips a key and returns it with a value", "made", (_values, context) => (context.skip(made), { made: 2 })],
];

describe.each(bothWays)("$how", ({ as }) => {
  test.each(faults)("CORE-9 a body that %s fails its node, naming node and key", async (_fault, key, body) => {
    const running = run(
      guilty((values, context) => as(() => body(values, context))),
      { given: 1 },
    );
    const failed = await rejectionOf(running, "PULSE_EXECUTION_FAILED");
    const error = expectCode(failed.cause, "PULSE_USAGE");
    expect(failed.details.path).toBe("guilty");
    expect(error.message).toContain('"guilty"');
    expect(error.message).toContain(`"${key}"`);
    expect(error.details).toMatchObject({ key });
  });

  test("CORE-9 what was set or skipped may stand in the result as settled", async () => {
    const fine = guilty((_values, context) => as(() => ({ made: context.set(made, 1), result: context.skip(result) })));
    expect((await run(fine, { given: 1 })).values.made).toBe(1);
  });

  test("CORE-9 a body reads what its chain has written", async () => {
    const fine = guilty((_values, context) => as(() => (context.set(made, 4), { result: context.get(made) })));
    expect((await run(fine, { given: 1 })).values.made).toBe(4);
  });

  test("CORE-9 a double write that the body caught leaves the first value", async () => {
    const fine = guilty((_values, context) =>
      as(() => {
        context.set(made, 1);
        try {
          context.set(made, 2);
        } catch {
          return {};
        }
        return {};
      }),
    );
    expect((await run(fine, { given: 1 })).values.made).toBe(1);
  });
});

test("CORE-9 awaiting, logging and copying the values of a body is no read of a stranger", async () => {
  const fine = guilty(async (values) => {
    const awaited = await Promise.resolve(values);
    return { made: Object.keys({ ...awaited }).length + JSON.stringify(awaited).length };
  });
  expect((await run(fine, { given: 1 })).values.made).toBe(1 + '{"given":1}'.length);
});
