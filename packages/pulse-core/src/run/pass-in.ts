import type { ExecutionState } from "./execution-state.ts";
import { pending, skippedState } from "./slot.ts";
import type { SlotState } from "./slot.ts";

/** Hands a decided key to a mounted child (CORE-20). */
export function passIn(from: ExecutionState, slot: number, child: ExecutionState, childSlot: number): void {
  const state = from.slotState[slot] as SlotState;
  if (state === pending || child.slotState[childSlot] !== pending) return;
  let value = from.slotValue[slot];
  const { checkpoint } = from.tree;
  if (checkpoint !== undefined && state !== skippedState) {
    try {
      value = checkpoint.convert(value, from, slot, child, childSlot);
    } catch (error) {
      // The mount's failure, not that of the node whose key this is.
      child.onRefused?.(error);
      return;
    }
  }
  child.decide(childSlot, state, value);
}
