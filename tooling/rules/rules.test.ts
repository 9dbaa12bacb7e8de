import { describe, expect, test } from "vitest";
import { plant } from "../source/fixture.ts";
import { judge } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkRules } from "./check.ts";
import { spellOut, type RequiredSet } from "./required.ts";
import { titlesOf } from "./titles.ts";
import required from "./required.json" with { type: "json" };

const page = "# Page\n\n- ABC-1 one\n- ABC-2 two, see ABC-9\n  - ABC-8 no rule: not at the margin\n- ABC-12 three\n";
const all: RequiredSet = { about: "", pages: { "10-page.md": { except: { "ABC-12": "planted" } } }, rules: [] };

function check(testText: string, set: RequiredSet = all) {
  using tree = plant({ "docs/contract/10-page.md": page, "packages/p/src/a.test.ts": testText });
  return checkRules(tree.root, set);
}

test("a required rule without a test is caught", () => {
  const report = check(`test("ABC-1 holds", () => {});`);
  expect(report.problems).toEqual(["ABC-2: no test names it"]);
  expect(report.notes).toContain("10-page.md: 1 of 3 tested; no test names ABC-2 ABC-12");
  expect(judge(report).passed).toBe(false);
});

test("a page that is fully tested, save what is excepted, passes", () => {
  const report = check(`test("ABC-1 ABC-2 hold", () => {});`);
  expect(report.problems).toEqual([]);
  expect(report.counted).toEqual({ pages: 1, rules: 3, tests: 1, required: 2 });
});

test("a rule is not covered by a longer id, a comment, a string in a body, or a test that does not run", () => {
  const report = check(`
    // ABC-1 in a comment
    test("ABC-12 holds", () => { expect("ABC-1").toBe("ABC-1"); });
    test.skip("ABC-1 skipped", () => {});
    test.todo("ABC-1 later");
    describe.skip("ABC-1", () => { test("inside", () => {}); });
    describe("ABC-1 without a test", () => {});
    check("ABC-1 by another function", () => {});
  `);
  expect(report.problems).toEqual(["ABC-1: no test names it", "ABC-2: no test names it"]);
});

test("a requirement of the kit counts as a test once a store is given to it", () => {
  const requirement = `export const all = [{ id: "ABC-1.first", rule: "ABC-1", title: "holds", async check() {} }, { id: "ABC-2.x", title: "none" }];`;
  const problems = (testText: string): readonly string[] => {
    using tree = plant({
      "docs/contract/10-page.md": page,
      "packages/store-testkit/src/requirements/all.ts": requirement,
      "packages/p/src/a.test.ts": testText,
    });
    return checkRules(tree.root, all).problems;
  };
  expect(problems(`describeStore(subject, runner);`)).toEqual(["ABC-2: no test names it"]);
  expect(problems(`// describeStore(subject)`)).toEqual(["ABC-1: no test names it", "ABC-2: no test names it"]);
});

test("a title that names a rule the contract does not have is caught", () => {
  const report = check(`test("ABC-1 ABC-2 ABC-7 hold, UTF-8 is no rule", () => {});`);
  expect(report.problems).toEqual(["packages/p/src/a.test.ts:1: names ABC-7, which is not in the contract"]);
});

test("a requirement that names nothing is caught", () => {
  const report = check(`test("ABC-1 ABC-2 hold", () => {});`, { ...all, rules: ["ABC-3"] });
  expect(report.problems).toEqual(["required.json names ABC-3, which is not in the contract"]);
});

test("a rule that stands in the contract twice is caught", () => {
  using tree = plant({
    "docs/contract/10-page.md": `${page}- ABC-1 again\n`,
    "packages/p/src/a.test.ts": `test("ABC-1 ABC-2", () => {});`,
  });
  expect(checkRules(tree.root, all).problems).toEqual(["docs/contract: ABC-1 stands there twice"]);
});

test("a tree without pages or tests fails instead of passing", () => {
  using tree = plant({});
  expect(judge(checkRules(tree.root, { about: "", pages: {}, rules: [] })).passed).toBe(false);
});

test("the sets of this repository name only rules that exist", () => {
  for (const set of Object.values<RequiredSet>(required)) {
    const { problems, counted } = checkRules(repositoryRoot, set);
    expect(problems.filter((problem) => problem.startsWith("required.json"))).toEqual([]);
    expect(counted["required"]).toBeGreaterThan(100);
  }
});

test("ranges are spelled out, and nonsense is refused", () => {
  expect(spellOut("DUR-8..10")).toEqual(["DUR-8", "DUR-9", "DUR-10"]);
  expect(spellOut("STORE-9")).toEqual(["STORE-9"]);
  expect(() => spellOut("DUR-8-10")).toThrow('"DUR-8-10" is neither');
});

describe("titles are read from", () => {
  test.each([
    [`test("A-1", f)`, ["A-1"]],
    [`it('A-1', f)`, ["A-1"]],
    ["test(`A-1 ${name} b`, f)", ["A-1 … b"]],
    [`test.concurrent("A-1", f)`, ["A-1"]],
    [`test.each([1])("A-1 %s", f)`, ["A-1 %s"]],
    [`test.runIf(x)("A-1", f)`, ["A-1"]],
    [`describe("A-1", () => { describe("b", () => { test("c", f); it("d", f); }); });`, ["A-1 b c", "A-1 b d"]],
    [`describe.each([1])("A-1", () => { for (const x of y) test("c", f); });`, ["A-1 c"]],
  ])("%s", (text, titles) => {
    expect(titlesOf("a.test.ts", text).map(({ title }) => title)).toEqual(titles);
  });
});
