import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readFiles, readPackages, type SourceFile } from "../source/workspace.ts";

/** One `ts` block of a Markdown file. */
export interface Block {
  /** Relative to the root. */
  readonly path: string;
  /** The 1-based line of the block's first line of code. */
  readonly line: number;
  readonly code: string;
  /**
   * `run`: type-checked and run. `check`: marked `no-run`, and whole enough (it imports something) to be type-checked.
   * `fragment`: marked `no-run` without imports; only counted.
   */
  readonly use: "run" | "check" | "fragment";
  /** With `throws=PULSE_X` the block must end with that error. */
  readonly throws?: string;
}

/** What the documentation holds, and what is wrong with its marks. */
export interface Documentation {
  readonly files: number;
  readonly blocks: readonly Block[];
  readonly problems: readonly string[];
}

/** The `ts` blocks of README.md, CONTRIBUTING.md, the READMEs of packages and examples, and docs (the contract is not ours to run). */
export function readDocumentation(root: string): Documentation {
  const owners = [...readPackages(root, "packages"), ...readPackages(root, "examples")];
  const single = ["README.md", "CONTRIBUTING.md", ...owners.map(({ folder }) => `${folder}/README.md`)]
    .filter((path) => existsSync(join(root, path)))
    .map((path): SourceFile => ({ path, text: readFileSync(join(root, path), "utf8") }));
  const docs = readFiles(root, "docs", [".md"]).filter(({ path }) => !path.startsWith("docs/contract/"));
  const files = [...single, ...docs];
  const parsed = files.map(blocksOf);
  return {
    files: files.length,
    blocks: parsed.flatMap(({ blocks }) => blocks),
    problems: parsed.flatMap(({ problems }) => problems),
  };
}

/** The blocks of one file. An unknown mark is a problem: a mistyped `norun` must not be read as a wish. */
export function blocksOf({ path, text }: SourceFile): { readonly blocks: Block[]; readonly problems: string[] } {
  const blocks: Block[] = [];
  const problems: string[] = [];
  const lines = text.split("\n");
  for (let index = 0; index < lines.length; index += 1) {
    const fence = /^(\s*)(`{3,})(\S*)\s*(.*)$/.exec(lines[index] ?? "");
    if (fence === null) continue;
    const [, indent = "", ticks = "", language, marks = ""] = fence;
    const end = lines.findIndex((line, at) => at > index && line.trim() === ticks);
    const last = end === -1 ? lines.length : end;
    if (language === "ts") {
      const code = lines
        .slice(index + 1, last)
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
      const block = readMarks(path, index + 2, code.join("\n"), marks);
      if (typeof block === "string") problems.push(block);
      else blocks.push(block);
    }
    index = last;
  }
  return { blocks, problems };
}

function readMarks(path: string, line: number, code: string, marks: string): Block | string {
  const words = marks.split(/\s+/).filter((word) => word !== "");
  const throws = words.map((word) => /^throws=(PULSE_[A-Z_]+)$/.exec(word)?.[1]).find((found) => found !== undefined);
  const unknown = words.filter((word) => word !== "no-run" && !/^throws=PULSE_[A-Z_]+$/.test(word));
  if (unknown.length > 0) return `${path}:${line - 1}: unknown mark "${unknown.join(" ")}" on a ts block`;
  if (!words.includes("no-run")) return { path, line, code, use: "run", ...(throws === undefined ? {} : { throws }) };
  return { path, line, code, use: /^import\b/m.test(code) ? "check" : "fragment" };
}
