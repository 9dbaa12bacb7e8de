import { join } from "node:path";
import ts from "typescript";
import type { WorkspacePackage } from "../source/workspace.ts";

/** One exported name. */
export interface PublicName {
  readonly name: string;
  /** `function`, `class`, `const`, `interface`, `type`, … joined by `+` if the name is several. */
  readonly kind: string;
}

/** What one subpath of a package exports. */
export interface Entry {
  /** As users import it: `@pulse-ts/core/errors`. */
  readonly specifier: string;
  readonly names: readonly PublicName[];
}

/** What a package's `exports` lead to, read from its sources. `./package.json` is no entry. */
export function entriesOf(root: string, { folder, manifest }: WorkspacePackage): Entry[] {
  const sources = Object.entries(manifest.exports ?? {})
    .filter(([subpath]) => subpath !== "./package.json")
    .map(([subpath, target]) => ({ subpath, file: join(root, folder, sourceOf(manifest.name, subpath, target)) }));
  const program = ts.createProgram(
    sources.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ["@pulse-ts/source"],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    },
  );
  const checker = program.getTypeChecker();
  return sources.map(({ subpath, file }) => ({
    specifier: manifest.name + subpath.slice(1),
    names: namesOf(program, checker, file),
  }));
}

function sourceOf(name: string, subpath: string, target: unknown): string {
  const source = (target as { readonly "@pulse-ts/source"?: unknown } | null)?.["@pulse-ts/source"];
  if (typeof source === "string") return source;
  throw new Error(`reading the surface of ${name}: the export "${subpath}" has no "@pulse-ts/source" condition`);
}

function namesOf(program: ts.Program, checker: ts.TypeChecker, file: string): PublicName[] {
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  // A file without exports is no module; its package offers nothing there.
  if (module === undefined) return [];
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, kind: kindOf(target(checker, symbol), isTypeOnly(symbol)) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function target(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

/** `export type { X }` of a class shows its type alone. */
function isTypeOnly(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (declaration) => ts.isExportSpecifier(declaration) && ts.isTypeOnlyImportOrExportDeclaration(declaration),
  );
}

const kinds: readonly (readonly [flag: ts.SymbolFlags, kind: string, value: boolean])[] = [
  [ts.SymbolFlags.Function, "function", true],
  [ts.SymbolFlags.Class, "class", true],
  [ts.SymbolFlags.Variable, "const", true],
  [ts.SymbolFlags.Enum, "enum", true],
  [ts.SymbolFlags.ValueModule, "namespace", true],
  [ts.SymbolFlags.Interface, "interface", false],
  [ts.SymbolFlags.TypeAlias, "type", false],
];

function kindOf(symbol: ts.Symbol, typeOnly: boolean): string {
  const found = kinds.filter(([flag, , value]) => (symbol.flags & flag) !== 0 && !(value && typeOnly));
  if (found.length > 0) return found.map(([, kind]) => kind).join("+");
  return typeOnly ? "type" : "unresolved";
}
