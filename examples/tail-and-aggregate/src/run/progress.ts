import type { TailEvent } from "../graph/outside.ts";

/** Where progress is shown. */
export interface Display {
  write(text: string): void;
  /** A terminal: one line is written again and again. */
  readonly live: boolean;
}

/** How many portions pass from one line to the next when no terminal is there. */
const quietPortions = 1000;

/** Tells how far the counting is. */
export function progressOn(display: Display) {
  let portions = 0;
  let lines = 0;
  let minutes = 0;
  let shown = false;
  const clear = (): void => {
    if (shown) display.write("\r\u001B[K");
    shown = false;
  };
  return {
    clear,
    get lines() {
      return lines;
    },
    see(event: TailEvent): void {
      if (event.kind === "resumed") display.write(`Going on at byte ${event.bytes}.\n`);
      else if (event.kind === "delivered") minutes += 1;
      else {
        portions += 1;
        lines += event.lines;
        const text = `${event.bytes} of ${event.fileBytes} bytes, ${lines} lines sent, ${minutes} minutes written`;
        if (display.live) {
          display.write(`\r\u001B[K${text}`);
          shown = true;
        } else if (portions % quietPortions === 0) display.write(`${text}\n`);
      }
    },
  };
}
