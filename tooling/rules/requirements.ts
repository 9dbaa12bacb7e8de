import ts from "typescript";
import type { TestTitle } from "./titles.ts";

/**
 * The kit's requirements in a file: objects with the literals `id` and `title` and a `check`. Each becomes a test of every
 * store that is given to `describeStore`, under the title `id title`.
 */
export function requirementsOf(path: string, text: string): TestTitle[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: TestTitle[] = [];
  const visit = (node: ts.Node): void => {
    const title = ts.isObjectLiteralExpression(node) ? titleOf(node) : undefined;
    if (title === undefined) return ts.forEachChild(node, visit);
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    found.push({ title, line });
    return undefined;
  };
  visit(source);
  return found;
}

/** True when the file's tests include the kit's: it calls `describeStore`. */
export function runsTheKit(path: string, text: string): boolean {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  let found = false;
  const visit = (node: ts.Node): void => {
    found ||= ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === "describeStore";
    if (!found) ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function titleOf(node: ts.ObjectLiteralExpression): string | undefined {
  const text = (name: string): string | undefined => {
    const field = node.properties.find((each) => each.name !== undefined && each.name.getText() === name);
    return field !== undefined && ts.isPropertyAssignment(field) && ts.isStringLiteralLike(field.initializer)
      ? field.initializer.text
      : undefined;
  };
  const [id, title] = [text("id"), text("title")];
  const checks = node.properties.some((each) => each.name?.getText() === "check");
  return id === undefined || title === undefined || !checks ? undefined : `${id} ${title}`;
}
