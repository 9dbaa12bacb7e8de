import { checkStreams } from "../check/stream.ts";
import type { StreamKind } from "../run/stream-driver.ts";
import { Streams } from "./driver.ts";

/** The behaviour of all streams. One object: the engine takes it from whichever stream key it meets first. */
export const streamKind: StreamKind = Object.freeze({
  check: checkStreams,
  driver: (...given: ConstructorParameters<typeof Streams>) => new Streams(...given),
});
