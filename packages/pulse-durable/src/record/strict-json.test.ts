import fc from "fast-check";
import { expect, test } from "vitest";
import { parseStrict } from "./strict-json.ts";

test("REC-26 any JSON is parsed as JSON.parse does", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (json, indent) => {
      const text = JSON.stringify(json, undefined, indent);
      expect(parseStrict(text)).toStrictEqual({ value: JSON.parse(text) as unknown });
    }),
    { seed: 26, numRuns: 500 },
  );
});

test("REC-26 a key that is there twice is refused by its path, however it is spelled", () => {
  const cases: readonly (readonly [string, string])[] = [
    ['{"a":1,"a":1}', '"a"'],
    ['{"a":{"b":[0,{"c":1,"d":[],"c":2}]}}', '"a"."b".[1]."c"'],
    ['{"x":"\\"{","a\\"":[1,2],"y":{},"\\u0061\\"":0}', '"a\\""'],
    ['{"\\\\":1,"\\\\":1}', '"\\\\"'],
    ['[[],{"__proto__":1,"__proto__":{}}]', '[1]."__proto__"'],
    ['{"":1,"b":[{"":1},{"":1}],"":2}', '""'],
  ];
  for (const [text, where] of cases) expect(parseStrict(text)).toStrictEqual({ where, problem: "is there twice" });
});

test("REC-26 the same key in other objects, and texts that look like keys, are no double", () => {
  for (const text of [
    '{"a":"a","b":{"a":"b"}}',
    '[{"a":1},{"a":1}]',
    '{"a":["a","a","{\\"a\\":"],"b":"\\\\"}',
    '"a"',
  ]) {
    expect(parseStrict(text)).toStrictEqual({ value: JSON.parse(text) as unknown });
  }
});

test("REC-26 what is no JSON is refused, and nothing of it is told", () => {
  for (const text of ["", "{", '{"secret":1}x', "{'secret':1}", '["secret",]', "NaN", "\uFEFF{}", '{"secret":01}']) {
    const found = parseStrict(text);
    expect(found).toMatchObject({ problem: "is no JSON" });
    expect(JSON.stringify(found)).not.toContain("secret");
  }
  expect(parseStrict('{\n  "a": 1\n}\n {}')).toStrictEqual({ where: "line 4 column 2", problem: "is no JSON" });
});

test("REC-26 a deep text is looked at without recursion of Pulse's own", () => {
  const deep = `${"[".repeat(5_000)}{"a":0,"a":1}${"]".repeat(5_000)}`;
  expect(parseStrict(deep)).toMatchObject({ problem: "is there twice" });
});
