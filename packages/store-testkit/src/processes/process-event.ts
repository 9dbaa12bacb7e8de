/**
 * What a process with a store of its own tells, one line of JSON each, written before the process goes on: whatever kills
 * it later, what it had told by then has arrived, in its order.
 */
export type ProcessEvent =
  /** The store module is loaded, orders are read. */
  | { readonly kind: "ready" }
  /** A fault point was reached for the first time in this process. */
  | { readonly kind: "reached"; readonly point: string }
  /** It kills itself now, at a fault point. */
  | { readonly kind: "killing"; readonly point: string }
  | { readonly kind: "acquired" | "busy" | "closed"; readonly runId: string }
  /** Revision 0: the run is not there. `difference`: where the record is not the one of its revision. */
  | { readonly kind: "loaded"; readonly runId: string; readonly revision: number; readonly difference?: string }
  /** A save was handed to the store, and the store has confirmed it. */
  | { readonly kind: "saving" | "saved"; readonly runId: string; readonly revision: number }
  | { readonly kind: "deleting" | "deleted"; readonly runId: string }
  /** An order failed, and ended there. `code` is empty for what is no error of Pulse. */
  | { readonly kind: "failed"; readonly doing: string; readonly code: string; readonly message: string }
  /** An order was done; how often each fault point was reached so far. */
  | { readonly kind: "done"; readonly doing: string; readonly points: Readonly<Record<string, number>> };
