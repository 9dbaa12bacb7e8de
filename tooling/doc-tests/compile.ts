import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import type { Block } from "./blocks.ts";

/** A block as a module on disk. */
export interface BlockFile {
  readonly block: Block;
  readonly file: string;
}

/** Beside this file, so that blocks find the packages that the tooling workspace depends on. Ignored by git. */
const blockFolder: string = fileURLToPath(new URL(".blocks", import.meta.url));

/** Writes every block but the fragments as a module of its own, in place of what an earlier run left. */
export function writeBlocks(blocks: readonly Block[], folder: string = blockFolder): BlockFile[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return blocks
    .filter(({ use }) => use !== "fragment")
    .map((block) => {
      const file = join(folder, `${block.path.replaceAll(/[^a-zA-Z0-9]+/g, "-")}-${block.line}.ts`);
      // The last line makes a module of a block that imports nothing, and lets the first line keep its number.
      writeFileSync(file, `${block.code}\nexport {};\n`);
      return { block, file };
    });
}

/** The type errors of each block, with the place in the Markdown file. Blocks without errors are left out. */
export function typeErrors(files: readonly BlockFile[]): Map<Block, string[]> {
  const program = ts.createProgram(
    files.map(({ file }) => file),
    {
      target: ts.ScriptTarget.ES2023,
      lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"],
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      moduleDetection: ts.ModuleDetectionKind.Force,
      customConditions: ["@pulse-ts/source"],
      allowImportingTsExtensions: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      skipLibCheck: true,
      types: ["node"],
    },
  );
  const errors = new Map<Block, string[]>();
  for (const { block, file } of files) {
    const source = program.getSourceFile(file);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    if (found.length > 0)
      errors.set(
        block,
        found.map((diagnostic) => describe(block, diagnostic)),
      );
  }
  return errors;
}

function describe(block: Block, { file, start, messageText }: ts.Diagnostic): string {
  const line = file === undefined || start === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
  return `${block.path}:${block.line + line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
}
