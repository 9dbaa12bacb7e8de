import type { Holder, ProcessProbe } from "@pulse-ts/durable/define-store";
import type { AtPoint } from "./fault-points.ts";
import type { Migration } from "./schema.ts";

/** What a store is made of: its settings, and the world around it as far as a test may replace it. */
export interface Parts {
  /** Absolute. */
  readonly file: string;
  readonly synchronous: "full" | "normal";
  readonly busyMs: number;
  readonly staleMs: number;
  readonly contentBytesMin: number;
  readonly at: AtPoint | undefined;
  readonly migrations: readonly Migration[];
  readonly probe: ProcessProbe;
  /** This process, with an `instance` of this copy of the package. */
  readonly holder: () => Promise<Holder>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
