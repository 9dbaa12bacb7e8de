import { checkStore } from "../check-store.ts";
import { help, readArguments } from "./arguments.ts";
import type { CheckOrder } from "./arguments.ts";
import { loadSubject } from "./load-subject.ts";
import { progressOn } from "./progress.ts";
import type { Output } from "./progress.ts";
import { reportOf, resultText, summaryText } from "./report.ts";

/** Where the command writes: its report, and what it does meanwhile. */
export interface Outputs {
  readonly report: Output;
  readonly messages: Output;
}

/** Does what the command line says; gives the exit code: 0 nothing failed, 1 something did, 2 nothing could be checked. */
export async function runCommand(args: readonly string[], outputs: Outputs): Promise<number> {
  const order = readArguments(args);
  if (order.kind === "help") {
    outputs.report.write(help);
    return 0;
  }
  if (order.kind === "wrong") {
    outputs.messages.write(`pulse-store-check: ${order.problem}\nIts options: pulse-store-check --help\n`);
    return 2;
  }
  try {
    return await check(order, outputs);
  } catch (error) {
    const told = error instanceof Error ? error.message : String(error);
    outputs.messages.write(`pulse-store-check: ${told}\nNothing was checked.\n`);
    return 2;
  }
}

async function check(order: CheckOrder, { report, messages }: Outputs): Promise<number> {
  const { subject, module } = await loadSubject(order.module);
  const progress = progressOn(messages, () => Date.now());
  const print = (text: string): void => {
    progress.clear();
    if (!order.json) report.write(`${text}\n`);
  };
  print(`pulse-store-check: the store "${subject.name}" of ${order.module}, seed ${order.seed}`);
  let current = "";
  const results = await checkStore(subject, {
    module,
    seed: order.seed,
    kills: order.kills,
    only: order.only,
    onStart: (id) => progress.tell((current = id)),
    say: (text) => progress.tell(`${current}: ${text}`),
    onResult: (result) => print(resultText(result, order)),
  });
  const found = reportOf(subject.name, order, results);
  progress.clear();
  report.write(order.json ? `${JSON.stringify(found, undefined, 2)}\n` : `${summaryText(found)}\n`);
  return found.failed === 0 ? 0 : 1;
}
