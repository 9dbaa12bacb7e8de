import type { ValueRecord } from "./record/format.ts";

/** A recorded value without its bytes (DUR-14). */
export interface OutputInspection {
  readonly name: string;
  readonly state: ValueRecord["state"];
  readonly codec: string;
  /** Size of the encoded value; absent for a skipped one and a stream. */
  readonly bytes?: number;
}

/** Nothing is decoded. */
export function outputInspection(output: ValueRecord): OutputInspection {
  const { name, state, codec } = output;
  if (output.state !== "ready") return { name, state, codec };
  return { name, state, codec, bytes: "bytes" in output ? output.bytes.length : output.content.size };
}
