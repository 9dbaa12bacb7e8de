import type { ExecutionState } from "../run/execution-state.ts";
import type { Cover } from "./admit.ts";

/** Covers what confirms a failure of an execution's nodes: the host and what is around it, no node of its own (CKPT-34). */
export function coverAbove(execution: ExecutionState, path: string): Cover {
  const { parent } = execution;
  return {
    path,
    get aborted() {
      return isStoppedFromAbove(execution);
    },
    get reason() {
      return reasonFromAbove(execution);
    },
    get controlSignal() {
      return parent === undefined ? (execution.control ??= new AbortController()).signal : parent.controlSignal;
    },
  };
}

/** Covers what an execution's nodes and its host do with streams: its own fail-fast ends it too (CKPT-30). */
export function coverWithin(execution: ExecutionState, path: string): Cover {
  const above = coverAbove(execution, path);
  return {
    path,
    get aborted() {
      return execution.stop !== undefined || above.aborted;
    },
    get reason() {
      const { stop } = execution;
      return above.aborted || stop?.kind !== "failed" ? above.reason : stop.error;
    },
    get controlSignal() {
      return above.controlSignal;
    },
  };
}

/** The first failure was not confirmed, for the execution was interrupted meanwhile: the attempt stays active (CKPT-14). */
export function interruptFailure(execution: ExecutionState): void {
  if (execution.stop?.kind !== "failed") return;
  execution.others.unshift(execution.stop.error);
  execution.stop = { kind: "interrupted", reason: reasonFromAbove(execution) };
}

/** Interrupted by what is around it, a failure around its mount included; its own fail-fast does not count (CKPT-34). */
function isStoppedFromAbove({ stop, parent, control }: ExecutionState): boolean {
  if (stop !== undefined && stop.kind !== "failed") return true;
  return parent === undefined ? control?.signal.aborted === true : parent.aborted || parent.isControlAborted;
}

const reasonFromAbove = ({ parent, control }: ExecutionState): unknown =>
  parent === undefined ? control?.signal.reason : parent.reason;
