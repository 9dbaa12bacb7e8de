import { sha256Hex } from "@pulse-ts/codec";
import type { RunRecord, ValueRecord } from "../record/format.ts";
import { corrupt, isDigest } from "./problem.ts";
import type { RecordProblem } from "./problem.ts";

/**
 * Every ready value, those of void scopes too, is what its digest says (REC-8, REC-9): outputs, messages, positions, states
 * and what messages contributed. Nothing is decoded.
 */
export function valueProblems(record: RunRecord): readonly RecordProblem[] {
  const problems: RecordProblem[] = [];
  const check = (key: string, field: string, value: ValueRecord): void => {
    const wrong = valueProblem(value);
    if (wrong !== undefined) problems.push(corrupt(key, field, wrong));
  };
  const named = ({ name }: ValueRecord): string => JSON.stringify(name);
  for (const [ids, { outputs }] of record.nodes) {
    for (const value of outputs) check(`node/${ids}`, `outputs ${named(value)}`, value);
  }
  for (const [ids, { cursor }] of record.streams) {
    if (cursor !== undefined) check(`stream/${ids}`, "cursor", cursor);
  }
  for (const [ids, { value }] of record.messages) check(`message/${ids}`, "value", value);
  for (const [ids, { state, values }] of record.managed) {
    if (state !== undefined) check(`managed/${ids}`, "state", state);
    for (const value of values) check(`managed/${ids}`, `values ${named(value)}`, value);
  }
  return problems;
}

function valueProblem(value: ValueRecord): string | undefined {
  if (value.codec === "" || value.codecVersion === "") return "has no codec id and version";
  if (value.state !== "ready") return undefined;
  if (!isDigest(value.digest)) return "digest is no SHA-256 in hex";
  if ("content" in value) {
    // The content itself is checked when it is read (STORE-10).
    return value.content.digest === value.digest ? undefined : "content is not named by the value's digest";
  }
  const found = sha256Hex(value.bytes);
  return found === value.digest ? undefined : `bytes have the digest ${found}, not ${value.digest}`;
}
