import ts from "typescript";

/** One place where a file names another module. */
export interface Import {
  readonly specifier: string;
  /** 1-based. */
  readonly line: number;
  /** False if nothing of it is left in the JavaScript: `import type`, `import("…").T`, `declare module`. */
  readonly runs: boolean;
}

/** Every module that a file names: imports, re-exports, dynamic imports, import types, `require`, and augmented modules. */
export function importsOf(path: string, text: string): Import[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: Import[] = [];
  const add = (name: ts.Node | undefined, runs: boolean): void => {
    if (name === undefined || !ts.isStringLiteralLike(name)) return;
    const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1;
    found.push({ specifier: name.text, line, runs });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, importRuns(node));
    else if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, exportRuns(node));
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, false);
    else if (ts.isImportEqualsDeclaration(node) && ts.isExternalModuleReference(node.moduleReference))
      add(node.moduleReference.expression, !node.isTypeOnly);
    else if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) add(node.name, false);
    else if (ts.isCallExpression(node) && isModuleCall(node)) add(node.arguments[0], true);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** With `verbatimModuleSyntax` an import stays unless it, or each of its names, is marked as a type. */
function importRuns(node: ts.ImportDeclaration): boolean {
  const clause = node.importClause;
  if (clause === undefined) return true;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false;
  const names = clause.namedBindings;
  if (clause.name !== undefined || names === undefined || ts.isNamespaceImport(names)) return true;
  return names.elements.some((element) => !element.isTypeOnly);
}

function exportRuns(node: ts.ExportDeclaration): boolean {
  if (node.isTypeOnly) return false;
  const clause = node.exportClause;
  if (clause === undefined || ts.isNamespaceExport(clause)) return true;
  return clause.elements.some((element) => !element.isTypeOnly);
}

function isModuleCall(node: ts.CallExpression): boolean {
  return (
    node.expression.kind === ts.SyntaxKind.ImportKeyword ||
    (ts.isIdentifier(node.expression) && node.expression.text === "require")
  );
}
