/** When the starter kills the process: after so many events and, then, turns of the starter's event loop. */
export interface KillMoment {
  readonly events: number;
  readonly turns: number;
}

/** Does it after so many turns of this process's event loop: some microseconds each when it is idle. */
export function afterTurns(turns: number, action: () => void): void {
  if (turns <= 0) action();
  else setImmediate(() => afterTurns(turns - 1, action));
}
