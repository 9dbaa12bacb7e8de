import type { ChangeCall } from "./commit-queue.ts";

/** A change as a hook was asked for it. The signal stays behind its getter: it is made when it is first read (CORE-35). */
export class HookChange implements ChangeCall {
  readonly path: string;
  readonly #call: { readonly signal: AbortSignal };

  constructor(path: string, call: { readonly signal: AbortSignal }) {
    this.path = path;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}
