import type { CompiledMount } from "../compile.ts";
import { ExecutionState } from "./execution-state.ts";
import type { NodeContext } from "./node-context.ts";
import { passIn } from "./pass-in.ts";
import { interruption } from "./signals.ts";
import { Confirmed, pending, ready, skippedState } from "./slot.ts";
import type { SlotState } from "./slot.ts";

/** The body of a mount: a child execution, fresh with each call (CORE-22). */
export function runChild(level: NodeContext): Promise<void> {
  const { execution } = level;
  const child = new ExecutionState(execution.tree, (level.node.mount as CompiledMount).child, level);
  execution.enter();
  level.busy = true;
  const run = execution.tree.checkpoint === undefined ? runToEnd(level, child) : openThenRun(level, child);
  return run.finally(() => level.bodySettled());
}

async function openThenRun(level: NodeContext, child: ExecutionState): Promise<void> {
  await level.execution.tree.checkpoint?.openChild(level, child);
  await runToEnd(level, child);
}

function runToEnd(level: NodeContext, child: ExecutionState): Promise<void> {
  const { execution, node } = level;
  const mount = node.mount as CompiledMount;
  if (level.aborted || level.closed) return Promise.reject(interruption(level.path, level.reason));
  execution.children.set(node.index, child);
  execution.liveChildren.add(child);
  if (execution.tree.emitter.active)
    level.tell({ kind: "child-created", childId: child.id, graph: child.compiled.graph.name });
  return new Promise((resolve, reject) => {
    let passFailure: { readonly error: unknown } | undefined;
    const stopListening = level.onAbort((reason) => child.interrupt(reason, level.isControlAborted));
    child.onRefused = (error) => {
      passFailure ??= { error };
      child.interrupt(error, true);
    };
    child.onDecided = (slot) => {
      try {
        passOut(level, mount, child, slot);
      } catch (error) {
        // An aspect of the mount wrote the key already: the mount fails, once its child has stopped.
        child.onRefused?.(error);
      }
    };
    child.onEnded = () => {
      execution.liveChildren.delete(child);
      stopListening();
      const { stop } = child;
      if (passFailure !== undefined) reject(passFailure.error);
      else if (stop === undefined) resolve();
      else if (stop.kind === "failed") reject(stop.error);
      else reject(interruption(level.path, level.reason));
    };
    giveInputs(level, mount, child);
    if (passFailure === undefined) child.startAll();
    else child.onEnded();
  });
}

function giveInputs(level: NodeContext, mount: CompiledMount, child: ExecutionState): void {
  const { inputs } = child.compiled;
  for (const { childSlot, value, name } of mount.fix) {
    if (child.slotState[childSlot] !== pending) continue;
    const read = child.fixedReaders?.get(name);
    child.decide(childSlot, ready, read === undefined ? value : new Confirmed(read));
  }
  for (const { slot, childSlot } of mount.in) passIn(level.execution, slot, child, childSlot);
  const wired = new Set([...mount.in, ...mount.fix].map(({ childSlot }) => childSlot));
  for (const { slot } of inputs) if (!wired.has(slot)) child.decide(slot, skippedState, undefined);
}

/** A child's output passes outward as it is decided (CORE-21). */
function passOut(level: NodeContext, mount: CompiledMount, child: ExecutionState, slot: number): void {
  const targets = mount.out.get(slot);
  if (targets === undefined || level.closed) return;
  const state = child.slotState[slot] as SlotState;
  const value = child.slotValue[slot];
  const { checkpoint } = level.execution.tree;
  for (const target of targets) {
    const passed =
      state === ready && checkpoint !== undefined
        ? checkpoint.convert(value, child, slot, level.execution, target)
        : value;
    level.write(target, state, passed);
  }
}
