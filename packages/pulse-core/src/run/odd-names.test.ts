import { describe, expect, test } from "vitest";
import { graph, mount, node, run, type AnyKey } from "../index.ts";
import { bothWays } from "../testing/both-ways.ts";
import { anyKey } from "../testing/keys.ts";

const names = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "then",
  "a.b",
  "user_id",
  "a\u0000b",
  "0",
  "length",
];
const keys: readonly AnyKey[] = names.map((name) => anyKey(name));
const outs: readonly AnyKey[] = names.map((name) => anyKey(`out ${name}`));

describe.each(bothWays)("$how", ({ as }) => {
  test.each([1, 2, 3, 4, 5, names.length])(
    "V6 CORE-3 %i keys with names of every object's properties keep their values",
    async (count) => {
      for (let from = 0; from + count <= names.length; from++) {
        const some = keys.slice(from, from + count);
        const made = outs.slice(from, from + count);
        const write = node("write", { provides: some }, () =>
          as(() => Object.fromEntries(some.map(({ name }) => [name, `value of ${name}`]))),
        );
        const read = node("read", { requires: some, provides: made }, (values) =>
          as(() =>
            Object.fromEntries(
              some.map(({ name }, at) => [(made.at(at) as AnyKey).name, (values as Record<string, unknown>)[name]]),
            ),
          ),
        );
        const inner = graph("inner", { inputs: some, outputs: made, nodes: [read] });
        const outer = graph("outer", { outputs: [...some, ...made], nodes: [write, mount("child", inner)] });
        const { outputs } = await run(outer, {});
        expect(Object.keys(outputs)).toHaveLength(2 * count);
        some.forEach(({ name }, at) => {
          const value = { state: "ready", value: `value of ${name}` };
          expect(Object.getOwnPropertyDescriptor(outputs, name)?.value).toEqual(value);
          expect(outputs[(made.at(at) as AnyKey).name]).toEqual(value);
        });
      }
    },
  );
});
