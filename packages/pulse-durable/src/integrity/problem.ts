/** One thing that is wrong with a record: the entry key, the field, and what was found. */
export interface RecordProblem {
  /**
   * `definition`, `codec`, `scope`: the entry is whole in itself, but the definition at hand did not write it (DUR-4);
   * of a scope: its fixed values or the sources of its inputs (CKPT-23).
   */
  readonly kind: "corrupt" | "definition" | "codec" | "scope";
  /** The entry key and the field: `attempt/00…0a limit`. */
  readonly where: string;
  readonly problem: string;
  /** Of a codec or scope: what is recorded, what the definition has, and the key or keys. */
  readonly expected?: string;
  readonly found?: string;
  readonly key?: string;
  /** Of a scope: its id and the mount's path. */
  readonly scope?: string;
  readonly path?: string;
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

/** Adds to a list one by one: as arguments of one call, very many would overflow the stack. */
export function addAll(problems: RecordProblem[], more: readonly RecordProblem[]): void {
  for (const problem of more) problems.push(problem);
}

/** A node's place, for messages. */
export function nodeAt(path: string, nodeId: string): string {
  return `the node ${JSON.stringify(path === "" ? nodeId : `${path}/${nodeId}`)}`;
}

/** 16 bytes in lower-case hex (REC-1). */
export const isId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** A SHA-256 in lower-case hex. */
export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
