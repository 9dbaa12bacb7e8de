import { createHash } from "node:crypto";
import { canonicalJson } from "@pulse-ts/codec";

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

/**
 * What somebody who has the record and the code of Pulse, and no key, would try for one candidate: hashes of the value in every
 * form in which it is written, and of all that Pulse makes of these for an input of this name.
 */
export function guessesFor(
  candidate: string,
  { input, runId }: { readonly input: string; readonly runId: string },
): readonly string[] {
  const plain = [
    candidate,
    JSON.stringify(candidate),
    JSON.stringify({ [input]: candidate }),
    candidate + runId,
    runId + candidate,
  ];
  const fingerprints = plain.map(sha256);
  const inputs = [...fingerprints, ...plain].map((fingerprint) =>
    sha256(canonicalJson(["inputs", [[input, "ready", fingerprint]]])),
  );
  return [...fingerprints, ...fingerprints.map(sha256), ...inputs].map((hash) => hash.slice(0, 16));
}

/** Every four-digit PIN. */
export const pins: readonly string[] = Array.from({ length: 10_000 }, (_, number) => String(number).padStart(4, "0"));
