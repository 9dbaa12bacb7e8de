import type { Settled } from "../context.ts";

/** What `handleMessages` resolves with. A body returns it for each key that its handlers write (STR-19). */
export interface Handled<State> extends Settled {
  /**
   * The node's state after the last message; `undefined` when none was set (STR-18). In a durable run it is the recorded one,
   * also when all messages were handled by processes that are gone: what a body makes of it is committed with the node.
   */
  readonly state: State | undefined;
}

/** Has no field of its own: a body that returns it returns no keys by name. */
export class HandledStream {
  readonly #state: unknown;

  constructor(state: unknown) {
    this.#state = state;
  }

  get state(): unknown {
    return this.#state;
  }
}
