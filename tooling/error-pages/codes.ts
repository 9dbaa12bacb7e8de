import ts from "typescript";
import type { SourceFile } from "../source/workspace.ts";

/** A code and the place that declares it. */
export interface DeclaredCode {
  readonly code: string;
  /** `packages/…/errors.ts:12` */
  readonly place: string;
}

/** The members of every declaration of `interface PulseErrorDetails`, augmentations of other packages included. */
export function errorCodes(file: SourceFile): DeclaredCode[] {
  return declared(file, (node) =>
    ts.isInterfaceDeclaration(node) && node.name.text === "PulseErrorDetails"
      ? node.members.flatMap((member) => (member.name === undefined ? [] : [member.name]))
      : [],
  );
}

/** The members of `type ProblemCode`. */
export function problemCodes(file: SourceFile): DeclaredCode[] {
  return declared(file, (node) => {
    if (!ts.isTypeAliasDeclaration(node) || node.name.text !== "ProblemCode") return [];
    const members = ts.isUnionTypeNode(node.type) ? node.type.types : [node.type];
    return members.flatMap((member) => (ts.isLiteralTypeNode(member) ? [member.literal] : []));
  });
}

/** The codes in the table of the contract's overview: `` | BusyError | `PULSE_BUSY` | ``. */
export function tableCodes(overview: string): string[] {
  return [...overview.matchAll(/^\| [^|]+ \| `(PULSE_[A-Z_]+)`/gm)].map(([, code]) => code ?? "");
}

function declared(file: SourceFile, namesIn: (node: ts.Node) => readonly ts.Node[]): DeclaredCode[] {
  const source = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  const found: DeclaredCode[] = [];
  const visit = (node: ts.Node): void => {
    for (const name of namesIn(node)) {
      const code = ts.isIdentifier(name) || ts.isStringLiteralLike(name) ? name.text : name.getText(source);
      const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1;
      found.push({ code, place: `${file.path}:${line}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
