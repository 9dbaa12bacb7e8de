/** Where the command writes. */
export interface Output {
  write(text: string): void;
  /** Whether the line can be written over. */
  readonly isTTY?: boolean | undefined;
}

/** Tells what is being done now: over one line on a terminal, else a line now and then. */
export interface Progress {
  tell(text: string): void;
  /** Takes the line away, before something else is written. */
  clear(): void;
}

/** Milliseconds between two lines where a line cannot be written over. */
const pauseMs = 5000;

export function progressOn(output: Output, now: () => number): Progress {
  let last = now();
  let shown = 0;
  const clear = (): void => {
    if (shown > 0) output.write(`\r${" ".repeat(shown)}\r`);
    shown = 0;
  };
  return {
    tell(text) {
      if (output.isTTY === true) {
        clear();
        const line = text.slice(0, 100);
        shown = line.length;
        output.write(line);
      } else if (now() - last >= pauseMs) {
        last = now();
        output.write(`… ${text}\n`);
      }
    },
    clear,
  };
}
