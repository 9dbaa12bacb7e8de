import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Report } from "../source/report.ts";
import type { Run } from "../source/run-program.ts";
import { compileProject } from "./compilers.ts";
import { installTarballs } from "./install.ts";
import { findNode, wantedNodes, type Machine } from "./nodes.ts";

export interface ConsumerOptions {
  readonly run: Run;
  readonly machine: Machine;
  /** Where other Nodes are kept from one check to the next. */
  readonly cache: string;
  /** True: a Node that cannot be had is a problem, as in CI. False: it is told, and the others are run. */
  readonly everyNode: boolean;
}

/** What one step did, and what the next one must know: nothing more is done after a step with problems. */
interface Step {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
  readonly count: number;
}

/**
 * What a user does: packs every package, installs the tarballs in a project outside of the workspace, compiles a program
 * against them with each supported compiler and both module resolutions, and runs it on each supported Node.
 */
export async function checkConsumers(root: string, options: ConsumerOptions): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "pulse-consumer-"));
  const steps = {
    tarballs: () => installTarballs(root, folder, options.run),
    compilations: () => compileProject(root, folder, options.run),
    runs: () => runProject(folder, options),
  };
  const counted: Record<string, number> = {};
  const notes: string[] = [];
  try {
    for (const [name, step] of Object.entries<() => Promise<Step>>(steps)) {
      const done = await step();
      counted[name] = done.count;
      notes.push(...done.notes);
      if (done.problems.length > 0) return { name: "consumers", counted, problems: done.problems, notes };
    }
    return { name: "consumers", counted, problems: [], notes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runProject(folder: string, { run, machine, cache, everyNode }: ConsumerOptions): Promise<Step> {
  const problems: string[] = [];
  const notes: string[] = [];
  let count = 0;
  for (const wanted of wantedNodes) {
    const found = await findNode(wanted, machine, cache, run);
    if (found.kind === "missing") {
      (everyNode ? problems : notes).push(`${wanted.name} was not run: ${found.reason}`);
      continue;
    }
    const { code, text } = await run(found.program, ["out/main.js"], folder);
    count += 1;
    if (code === 0) notes.push(text.trim());
    else problems.push(`${wanted.name}: the program ended with code ${code}:\n${text.trim()}`);
  }
  return { problems, notes, count };
}
