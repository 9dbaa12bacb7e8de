/** One thing that must not happen, and did. */
export interface Violation {
  readonly kind: ViolationKind;
  /** The rule that it breaks. */
  readonly rule: string;
  readonly message: string;
  /** Which of the processes of the run, from 0. */
  readonly process: number;
}

export type ViolationKind =
  /** A confirmed save, or a part of one, is not in the record that the next process loads. */
  | "acknowledged-lost"
  /** The next process loads what no save wrote. */
  | "record-differs"
  /** A save does not follow the one before. */
  | "save-out-of-order"
  /** A body ran although its node's result was confirmed. */
  | "confirmed-ran-again"
  /** A body ran inside a scope that no save had confirmed. */
  | "scope-unconfirmed"
  /** A body ran in a scope that is void. */
  | "void-ran"
  /** A try that had failed for certain ran again. */
  | "failed-try-ran-again"
  /** A try began before the failure of the one before it was confirmed. */
  | "try-too-early"
  /** A handler was given a message that its group has not to read, or not any more. */
  | "message-ran-again"
  /** The failed tries of a message are not what they were, or are more than its limit. */
  | "message-budget"
  /** An account of a stream lost what it had: its frontier, its messages, its end, its generation. */
  | "stream-went-back"
  /** The budgets at the end are not those of the undisturbed run. */
  | "budgets-differ"
  /** The tries that bodies saw are not those of the undisturbed run. */
  | "tries-differ"
  /** The run ended otherwise than undisturbed. */
  | "end-differs"
  /** A resume of the ended run gave another end, ran a body or saved something. */
  | "ended-run-changed"
  /** A process ended in a way of its own, or never. */
  | "process-broke"
  /** The run did not end after as many processes as it was given. */
  | "no-end";
