import ts from "typescript";

/** A call that vitest runs as a test, with the titles of the `describe` blocks around it. */
export interface TestTitle {
  /** The outer titles and its own, joined by a space. The parts that are computed read `…`. */
  readonly title: string;
  /** 1-based. */
  readonly line: number;
}

const runners = new Set(["test", "it"]);
const groups = new Set(["describe", "suite"]);
/** Members that keep the test from running, or turn it into a note. */
const idle = new Set(["skip", "todo", "skipIf"]);

/**
 * The titles of a test file, read from its syntax: a rule's id in a comment, in a string inside a test
 * or in the title of a skipped test proves nothing and is not seen.
 */
export function titlesOf(path: string, text: string): TestTitle[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: TestTitle[] = [];
  const visit = (node: ts.Node, outer: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? readCall(node) : undefined;
    if (call === undefined) return ts.forEachChild(node, (child) => visit(child, outer));
    if (call.idle) return undefined;
    if (runners.has(call.runner)) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ title: [...outer, call.title].join(" "), line });
      return undefined;
    }
    return ts.forEachChild(node, (child) => visit(child, [...outer, call.title]));
  };
  visit(source, []);
  return found;
}

interface Call {
  readonly runner: string;
  readonly title: string;
  readonly idle: boolean;
}

/** `test("…", …)`, `test.concurrent("…", …)`, `test.each(cases)("…", …)`, and the same of `describe`. */
function readCall(node: ts.CallExpression): Call | undefined {
  const [first] = node.arguments;
  const title = first === undefined ? undefined : literalTitle(first);
  if (title === undefined) return undefined;
  const names = namesOf(node.expression);
  const [runner] = names;
  if (runner === undefined || !(runners.has(runner) || groups.has(runner))) return undefined;
  return { runner, title, idle: names.some((name) => idle.has(name)) };
}

/** `test.concurrent.each(cases)` -> test, concurrent, each. */
function namesOf(node: ts.Expression): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return [...namesOf(node.expression), node.name.text];
  if (ts.isCallExpression(node)) return namesOf(node.expression);
  if (ts.isTaggedTemplateExpression(node)) return namesOf(node.tag);
  return [];
}

function literalTitle(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => `…${span.literal.text}`).join("");
}
