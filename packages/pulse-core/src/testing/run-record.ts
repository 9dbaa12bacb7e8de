import type {
  Attempt,
  AttemptRequest,
  ConfirmedOutput,
  NodeResult,
  RestoredNode,
  WrittenOutput,
} from "../checkpoint/hooks.ts";

/** One confirmed output as it is kept: its own copy of the value. */
type KeptOutput =
  | { readonly name: string; readonly state: "skipped" }
  | { readonly name: string; readonly state: "ready"; readonly value: unknown };

interface KeptNode {
  readonly nodeId: string;
  readonly reason: "completed" | "skipped";
  readonly outputs: readonly KeptOutput[];
}

/**
 * What a store keeps of one run, in memory: it survives the executions that fill it. Ids are places, so that tests can
 * name them: `root/n` is the root attempt of node `n` in scope `root`, `root/n@0#2` the second try of the retry at place 0,
 * and the scope of a mount is its deepest attempt.
 */
export class RunRecord {
  /** Ids of attempts that are confirmed failed. */
  readonly failed = new Set<string>();
  /** Ids of the scopes that are opened. */
  readonly scopes = new Set<string>();
  private readonly nodes = new Map<string, Map<string, KeptNode>>();
  private readonly onRead: ((name: string) => void) | undefined;

  /** `onRead` is told each time that a confirmed value is read. */
  constructor(onRead?: (name: string) => void) {
    this.onRead = onRead;
  }

  /** The attempt that a request recognises, or would make (CKPT-19, CKPT-32). */
  attempt({ parent, nodeId, boundary, limit }: AttemptRequest): Attempt {
    const place = boundary === "" ? `${parent}/${nodeId}` : `${parent}@${boundary}`;
    const idOf = (index: number): string => (boundary === "" ? place : `${place}#${index}`);
    let index = 1;
    while (index < limit && this.failed.has(idOf(index))) index++;
    return { id: idOf(index), index, exhausted: this.failed.has(idOf(index)) };
  }

  /** Whether a root attempt in this scope is confirmed failed (CKPT-13). */
  isFailed(scope: string): boolean {
    return [...this.failed].some((id) => id.startsWith(`${scope}/`) && !/[/@]/.test(id.slice(scope.length + 1)));
  }

  isConfirmed(scope: string, nodeId: string): boolean {
    return this.nodes.get(scope)?.has(nodeId) === true;
  }

  /** What counts at the end, sorted: the confirmed nodes and failed attempts that stand under no failed attempt (CKPT-22). */
  get valid(): readonly string[] {
    const isVoid = (id: string): boolean =>
      [...this.failed].some(
        (failed) => id !== failed && /^[/@]/.test(id.slice(failed.length)) && id.startsWith(failed),
      );
    return [
      ...this.lines.filter((line) => !isVoid(line)),
      ...[...this.failed].filter((id) => !isVoid(id)).map((id) => `${id} failed`),
    ].toSorted();
  }

  keep({ scope, nodeId, reason }: NodeResult, outputs: readonly KeptOutput[]): void {
    const nodes = this.nodes.get(scope) ?? new Map<string, KeptNode>();
    if (nodes.has(nodeId)) throw new Error(`node ${nodeId} of scope ${scope} is confirmed twice`);
    nodes.set(nodeId, { nodeId, reason, outputs });
    this.nodes.set(scope, nodes);
  }

  /** What a scope has confirmed, for a restore plan. */
  confirmed(scope: string): readonly RestoredNode[] {
    return [...(this.nodes.get(scope)?.values() ?? [])].map((node) => ({
      ...node,
      outputs: this.published(node.outputs),
    }));
  }

  /** `scope/node reason key=value …`, in the order of confirmation within a scope. */
  get lines(): readonly string[] {
    return [...this.nodes].flatMap(([scope, nodes]) =>
      [...nodes.values()].map(({ nodeId, reason, outputs }) =>
        [`${scope}/${nodeId} ${reason}`, ...outputs.map(textOf)].join(" "),
      ),
    );
  }

  published(outputs: readonly KeptOutput[]): readonly ConfirmedOutput[] {
    return outputs.map((output) => {
      if (output.state === "skipped") return output;
      const { name, value } = output;
      return { name, state: "ready", read: () => (this.onRead?.(name), structuredClone(value)) };
    });
  }
}

/** Copies what was written, as an encoder does. */
export function keptOutput(output: WrittenOutput): KeptOutput {
  const { name } = output.key;
  if (output.state === "skipped") return { name, state: "skipped" };
  if (output.state === "stream") throw new Error(`these hooks keep no streams, and ${name} is one`);
  return { name, state: "ready", value: structuredClone(output.read === undefined ? output.value : output.read()) };
}

export type { KeptOutput };

const textOf = (output: KeptOutput): string =>
  output.state === "skipped" ? `${output.name} skipped` : `${output.name}=${JSON.stringify(output.value)}`;
