import type { ReadValue } from "../checkpoint/hooks.ts";

/** The states of a key (CORE-3) as they stand in an execution's arrays. */
export const pending = 0;
export const ready = 1;
export const skippedState = 2;
export type SlotState = typeof pending | typeof ready | typeof skippedState;

/** A confirmed value: what the slot holds is how to read it (CKPT-36). Never a user's value. */
export class Confirmed {
  readonly read: ReadValue;
  constructor(read: ReadValue) {
    this.read = read;
  }
}
