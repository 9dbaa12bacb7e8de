/** Something that the host may want to know and that is no error of a call. */
export interface PgNotice {
  /**
   * `lease-only`: nothing shows that this process lives but its leases: a crashed one's runs are free when they run out (PG-6).
   * `holder-lost`, `holder-back`: the holder connection went and came.
   * `connection-lost`: a connection broke that nothing was using.
   * `lease-lost`: a run's lease ran out or somebody took the run; its next save says so.
   * `not-durable`: `synchronous_commit` is off, so a crash of the server may undo saves that were reported as done.
   */
  readonly kind: "lease-only" | "holder-lost" | "holder-back" | "connection-lost" | "lease-lost" | "not-durable";
  /** In words, without a password. */
  readonly message: string;
}

export type Notify = (kind: PgNotice["kind"], message: string) => void;

/** What a listener throws is its own affair. */
export const notifier =
  (listener: ((notice: PgNotice) => void) | undefined): Notify =>
  (kind, message) => {
    try {
      listener?.({ kind, message });
    } catch {
      // The store goes on.
    }
  };
