import { createInterface } from "node:readline";
import { isPulseError } from "@pulse-ts/core";
import { childVoice } from "../crash/child-voice.ts";
import type { StoreSubject } from "../subject.ts";
import { followOrders } from "./follow-orders.ts";
import type { ProcessEvent } from "./process-event.ts";
import type { ProcessOrder } from "./process-order.ts";

/** The whole life of a process with a store of its own: it follows the orders on its standard input, and ends with them. */
export async function runStoreChild(subject: StoreSubject): Promise<never> {
  const tell = childVoice<ProcessEvent>();
  const follow = followOrders(subject, tell);
  tell({ kind: "ready" });
  // In turn, and to the end of them: when its starter is gone, it goes too.
  for await (const line of createInterface({ input: process.stdin })) {
    // Written by `startProcess` of the same package.
    const order = JSON.parse(line) as ProcessOrder;
    try {
      const points = await follow(order);
      tell({ kind: "done", doing: order.kind, points });
    } catch (error) {
      tell({ kind: "failed", doing: order.kind, ...describe(error) });
    }
    if (order.kind === "end") break;
  }
  process.exit(0);
}

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (isPulseError(error)) return { code: error.code, message: error.message };
  return { code: "", message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
