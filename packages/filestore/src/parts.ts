import type { Holder, ProcessProbe } from "@pulse-ts/durable/define-store";
import type { Platform } from "./platform.ts";

/** What all of a store's modules share. */
export interface Parts {
  /** Absolute. */
  readonly root: string;
  readonly staleMs: number;
  readonly foldBytesMin: number;
  /** Folds although no part of what is folded is old: for tests that are to come to a fold in a few saves. */
  readonly foldEarly: boolean;
  /** Bytes from which a journal gets room in advance. */
  readonly roomFrom: number;
  readonly contentBytesMin: number;
  readonly platform: Platform;
  readonly probe: ProcessProbe;
  /** This process as it shows itself to others. */
  readonly holder: () => Promise<Holder>;
}
