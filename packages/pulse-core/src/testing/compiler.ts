import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";

/** The compilers that users have: the last one written in JavaScript, and the native one. */
export const compilers = [
  { name: "TypeScript 5.9", package: "typescript5", options: {} },
  // One thread: otherwise the count of instantiations would depend on the machine.
  { name: "TypeScript 7", package: "typescript7", options: { singleThreaded: true } },
] as const;

export type Compiler = (typeof compilers)[number];

export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  /** The message with all that is indented below it. */
  readonly text: string;
}

export interface Compilation {
  readonly diagnostics: readonly Diagnostic[];
  readonly instantiations: number;
}

const here = dirname(fileURLToPath(import.meta.url));
/** What a program imports to see the package as its users do. */
export const coreModule = join(here, "..", "index.ts");
const require = createRequire(import.meta.url);

/** Type-checks a program, given as file names and texts, in a folder of its own, with the package's own strictness. */
export function compile(compiler: Compiler, files: Readonly<Record<string, string>>): Compilation {
  const folder = mkdtempSync(join(tmpdir(), "pulse-types-"));
  try {
    writeFileSync(join(folder, "package.json"), `{ "type": "module" }`);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const config = {
      extends: join(here, "..", "..", "tsconfig.test.json"),
      compilerOptions: {
        rootDir: parse(folder).root,
        lib: ["ES2023", "DOM"],
        types: [],
        extendedDiagnostics: true,
        ...compiler.options,
      },
      include: [],
      files: Object.keys(files),
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(dirname(require.resolve(`${compiler.package}/package.json`)), "bin", "tsc");
    const { stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], {
      encoding: "utf8",
      cwd: folder,
    });
    const instantiations = /^Instantiations:\s+(\d+)/m.exec(stdout)?.[1];
    if (instantiations === undefined) throw new Error(`${compiler.name} did not finish:\n${stdout}${stderr}`);
    return { diagnostics: diagnosticsIn(stdout), instantiations: Number(instantiations) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function diagnosticsIn(output: string): Diagnostic[] {
  const found = output.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+: .*(?:\n .*)*)/gm);
  return [...found].map(([, file, line, text]) => ({ file: file as string, line: Number(line), text: text as string }));
}
