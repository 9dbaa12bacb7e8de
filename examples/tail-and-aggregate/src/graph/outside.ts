import { attachment } from "@pulse-ts/core";
import type { Problem } from "../problem.ts";
import type { Outbox } from "../run/outbox.ts";

/** What the bodies use of the world outside: no part of the graph, so a resumed run may well have another (CORE-51). */
export interface Outside {
  /** Wait for more at the end of the file. */
  readonly follow: boolean;
  /** At most so many lines make a message; not above {@link portionLinesMax}. */
  readonly linesMax: number;
  /** Told of each portion that was sent and each minute that was written. */
  readonly see: (event: TailEvent) => void;
  /**
   * Interrupts the run with what a person can mend, such as a file that is gone. Were it thrown by a body, the node would
   * have failed, and the run with it, for good; an interrupted one goes on when the file is back.
   */
  readonly interrupt: (problem: Problem) => void;
  /** The box of a name, for this run. */
  readonly box: (name: string) => Outbox;
  /** Writes the result file. */
  readonly writeResult: (text: string) => Promise<void>;
}

export type TailEvent =
  | { readonly kind: "resumed"; readonly bytes: number }
  | { readonly kind: "sent"; readonly lines: number; readonly bytes: number; readonly fileBytes: number }
  | { readonly kind: "delivered"; readonly minute: string; readonly written: boolean };

export const outside = attachment<Outside>("outside");

/** Lines in one portion at most. A minute may end with each of them, so it also bounds what one handler sends. */
export const portionLinesMax = 64;
