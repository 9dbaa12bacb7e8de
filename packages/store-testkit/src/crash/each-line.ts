import type { Readable } from "node:stream";

/** Reads a stream of text line by line, to its end. A line that a kill has cut off is none. */
export function eachLine(stream: Readable, see: (line: string) => void): Promise<void> {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) see(line);
  });
  return new Promise((resolve) => void stream.once("close", resolve));
}
