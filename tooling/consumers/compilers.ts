import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Run } from "../source/run-program.ts";

/** A compiler that users have. */
interface Compiler {
  /** `TypeScript 5.9.3` */
  readonly name: string;
  /** The path of its `tsc`, to be run by Node. */
  readonly program: string;
}

interface Job {
  readonly compiler: string;
  readonly configuration: keyof typeof configurations;
  /** True: what the installed packages declare is checked too. That is most of the time a compiler takes. */
  readonly declarations: boolean;
}

const strict = {
  target: "ES2022",
  lib: ["ES2022", "ESNext.Disposable"],
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};
const nodenext = { ...strict, module: "NodeNext", moduleResolution: "NodeNext" };
const bundler = { ...strict, module: "ESNext", moduleResolution: "Bundler" };

/** The configurations of users. `emit` writes the program that is then run. */
const configurations = {
  nodenext: { compilerOptions: nodenext, include: ["src/*.ts"] },
  bundler: { compilerOptions: bundler, include: ["src/*.ts"] },
  /** A user of the core alone, in a browser: no types of Node, no zod. */
  core: { compilerOptions: { ...bundler, lib: ["ES2022", "DOM"], types: [] }, files: ["src/in-memory.ts"] },
  emit: {
    compilerOptions: {
      ...nodenext,
      noEmit: false,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      rootDir: "src",
      outDir: "out",
    },
    include: ["src/*.ts"],
  },
};

/** The oldest, the present and the newest compiler (CORE-49); the oldest one writes what is run. */
const jobs: readonly Job[] = [
  { compiler: "typescript5", configuration: "emit", declarations: true },
  { compiler: "typescript5", configuration: "bundler", declarations: false },
  { compiler: "typescript5", configuration: "core", declarations: true },
  { compiler: "typescript", configuration: "nodenext", declarations: true },
  { compiler: "typescript", configuration: "bundler", declarations: false },
  { compiler: "typescript7", configuration: "nodenext", declarations: true },
  { compiler: "typescript7", configuration: "bundler", declarations: true },
  { compiler: "typescript7", configuration: "core", declarations: true },
];

/** Compilers at work at once. */
const atOnce = 2;

/** Compiles the project in `folder` as its users would; leaves the program in `folder/out`. */
export async function compileProject(root: string, folder: string, run: Run) {
  const compilers = new Map(jobs.map(({ compiler }) => [compiler, findCompiler(root, compiler)]));
  const problems: string[] = [];
  const compile = async ({ compiler, configuration, declarations }: Job, place: number): Promise<void> => {
    const { name, program } = compilers.get(compiler) ?? findCompiler(root, compiler);
    const { compilerOptions, ...rest } = configurations[configuration];
    const file = `tsconfig.${place}.json`;
    const config = { compilerOptions: { ...compilerOptions, skipLibCheck: !declarations }, ...rest };
    writeFileSync(join(folder, file), JSON.stringify(config));
    const { code, text } = await run(process.execPath, [program, "-p", file, "--pretty", "false"], folder);
    if (code !== 0) problems.push(`${name}, ${configuration}:\n${text.trim()}`);
  };
  const waiting = [...jobs.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await compile(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const notes = [`compiled by ${[...compilers.values()].map(({ name }) => name).join(", ")}`];
  return { problems, notes, count: jobs.length };
}

function findCompiler(root: string, name: string): Compiler {
  const manifest = createRequire(join(root, "package.json")).resolve(`${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
  return { name: `TypeScript ${version}`, program: join(dirname(manifest), "bin", "tsc") };
}
