import { hash } from "node:crypto";
import { shownRunId } from "../run-id.ts";
import { isDigest } from "./content-values.ts";
import { corrupt, usage } from "./store-errors.ts";

/** @throws PULSE_USAGE for what names no content */
export function refuseOtherDigest(runId: string, digest: unknown): void {
  if (typeof digest === "string" && isDigest(digest)) return;
  const place = `reading a content of run "${shownRunId(runId)}"`;
  throw usage(runId, "STORE-10", `${place}: ${JSON.stringify(digest)} is no SHA-256 in hex`);
}

/** The bytes, if they are what their name says (STORE-10). @throws PULSE_CORRUPT */
export function checkedContent(
  runId: string,
  medium: string,
  digest: string,
  bytes: Uint8Array | undefined,
): Uint8Array {
  const where = `the content ${digest} in ${medium}`;
  if (bytes === undefined) throw corrupt(runId, where, "it is missing");
  const found = hash("sha256", bytes);
  if (found !== digest)
    throw corrupt(runId, where, `its ${bytes.length} bytes have the SHA-256 ${found}, which is not its name`);
  return bytes;
}
