import { spawn } from "node:child_process";
import type { Readable } from "node:stream";
import { parseChildEvent } from "./child-event.ts";
import type { ChildEvent } from "./child-event.ts";
import type { ChildOrder } from "./child-order.ts";
import { voiceDescriptor } from "./child-voice.ts";
import { eachLine } from "./each-line.ts";
import { afterTurns } from "./kill-moment.ts";
import type { KillMoment } from "./kill-moment.ts";

/** A program that calls `runCrashChild`. */
export interface CrashProgram {
  /** A file that Node can run. One bundled file starts several times as fast as sources do. */
  readonly file: string;
  /** For Node itself, before the file. */
  readonly nodeArguments?: readonly string[];
}

export interface ChildOptions {
  readonly program: CrashProgram;
  readonly order: ChildOrder;
  readonly moment?: KillMoment;
  /** What happens at that moment; default: the process is killed. Waited for before anything else is done. */
  readonly strike?: () => Promise<void>;
  /** A process that takes longer hangs, and is killed. */
  readonly timeoutMs: number;
}

/** What became of one process. */
export interface ChildReport {
  readonly order: ChildOrder;
  /** All that it told, in order. */
  readonly events: readonly ChildEvent[];
  /** It was killed, by itself or from outside; otherwise it came to its end. */
  readonly killed: boolean;
  /** The strike of its moment happened. */
  readonly struck: boolean;
  /** Why it ended as no process under test should. */
  readonly problem?: string;
}

/** Runs one process to its end, or to the moment when it is killed. */
export async function runChild({ program, order, moment, strike, timeoutMs }: ChildOptions): Promise<ChildReport> {
  const words = [...(program.nodeArguments ?? []), program.file, JSON.stringify(order)];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe", "pipe"] });
  const events: ChildEvent[] = [];
  let errorText = "";
  let late = false;
  let striking: Promise<void> | undefined;
  const kill = (): void => void child.kill("SIGKILL");
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, timeoutMs);
  // The descriptor was asked for as a pipe.
  const voiceClosed = eachLine(child.stdio[voiceDescriptor] as Readable, (line) => {
    events.push(parseChildEvent(line));
    if (events.length === moment?.events)
      afterTurns(moment.turns, () => {
        if (strike === undefined) kill();
        else striking = strike();
      });
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void (errorText += text));
  const [code, signal] = await new Promise<readonly [number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (...end) => resolve(end));
  });
  await voiceClosed;
  await striking;
  clearTimeout(timer);
  const killed = signal === "SIGKILL";
  const report = { order, events, killed, struck: striking !== undefined };
  if (late) return { ...report, problem: `it had not ended after ${timeoutMs} ms` };
  const broken = events.find((event) => event.kind === "broken");
  if (broken !== undefined) return { ...report, problem: broken.message };
  if (killed || code === 0) return report;
  return { ...report, problem: `it ended with ${signal ?? `code ${code}`}: ${errorText.trim()}` };
}
