import type { SlotState } from "./slot.ts";

export interface Write {
  readonly state: SlotState;
  readonly value: unknown;
}

/** What a try or a checkpointed chain wrote and has not published (CORE-17, CKPT-1). */
export class WriteSet {
  readonly outer: WriteSet | undefined;
  readonly writes = new Map<number, Write>();

  constructor(outer: WriteSet | undefined) {
    this.outer = outer;
  }

  /** The write of a slot here or further out. */
  find(slot: number): Write | undefined {
    return this.writes.get(slot) ?? this.outer?.find(slot);
  }
}
