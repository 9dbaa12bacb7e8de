import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Bytes in use on the heap after a full collection. */
export function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}
