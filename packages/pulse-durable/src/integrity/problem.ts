/** One thing that is wrong with a record: the entry key, the field, and what was found. */
export interface RecordProblem {
  /** `definition`, `codec`: the entry is whole in itself, but the definition at hand did not write it (DUR-4). */
  readonly kind: "corrupt" | "definition" | "codec";
  /** The entry key and the field: `attempt/00…0a limit`. */
  readonly where: string;
  readonly problem: string;
  /** Of a codec: what is recorded, what the definition has, and the key. */
  readonly expected?: string;
  readonly found?: string;
  readonly key?: string;
}

export const corrupt = (key: string, field: string, problem: string): RecordProblem => ({
  kind: "corrupt",
  where: field === "" ? key : `${key} ${field}`,
  problem,
});

export const otherDefinition = (key: string, field: string, problem: string): RecordProblem => ({
  ...corrupt(key, field, problem),
  kind: "definition",
});

/** A node's place, for messages. */
export function nodeAt(path: string, nodeId: string): string {
  return `the node ${JSON.stringify(path === "" ? nodeId : `${path}/${nodeId}`)}`;
}

/** 16 bytes in lower-case hex (REC-1). */
export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** A SHA-256 in lower-case hex. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
