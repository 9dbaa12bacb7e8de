import type { BodyStart, ChildEvent, ReadAttempt, RunEnd, ToldChange } from "../crash/child-event.ts";
import { idempotencyKey } from "../crash/judge-bodies.ts";
import type { ChildReport } from "../crash/start-child.ts";

/** What processes of a run tell, by hand. */

export const runId = "crash";
export const rootScope = "a".repeat(32);
const idOf = (name: string): string => Buffer.from(name).toString("hex").padEnd(32, "0").slice(0, 32);

const put = (key: string, entry: object): ToldChange => [key, JSON.stringify(entry)];

export const header = (fields: object = {}): ToldChange =>
  put("header", { rootScope, status: "running", resumes: 0, ...fields });
export const scope = (id: string, path: string): ToldChange => put(`scope/${id}`, { path });
export const result = (scopeId: string, nodeId: string, value = "1"): ToldChange =>
  put(`node/${scopeId}/${nodeId}`, { nodeId, value });

export interface TryOf extends Partial<ReadAttempt> {
  /** Names the attempt; its id is made of it. */
  readonly name: string;
}

export const attempt = ({ name, ...fields }: TryOf): ToldChange =>
  put(`attempt/${idOf(name)}`, {
    parent: rootScope,
    nodeId: "work",
    boundary: "",
    index: 1,
    limit: 1,
    state: "active",
    ...fields,
  });
export const attemptId = idOf;

/** A save and its confirmation. */
export const saved = (revision: number, ...changes: readonly ToldChange[]): readonly ChildEvent[] => [
  { kind: "saving", revision, changes },
  { kind: "saved", revision },
];

/** The record as these changes make it. */
export const loaded = (revision: number, ...changes: readonly ToldChange[]): ChildEvent => ({
  kind: "loaded",
  revision,
  entries: changes.map(([key, content]) => [key, content ?? ""]),
});

export const body = (path: string, fields: Partial<BodyStart> & { readonly scope?: string } = {}): ChildEvent => {
  const { scope: inScope = rootScope, ...rest } = fields;
  const id = idempotencyKey(runId, inScope, path.slice(path.lastIndexOf("/") + 1));
  return { kind: "body", path, id, tries: [], place: path, ...rest };
};

export const completed: RunEnd = { kind: "completed", outputs: "{}" };
export const ended = (end: RunEnd = completed, budgets: readonly string[] = []): ChildEvent => ({
  kind: "ended",
  end,
  budgets,
});

/** One process: killed unless it tells its end. */
export function processOf(...events: readonly (ChildEvent | readonly ChildEvent[])[]): ChildReport {
  const all = events.flat();
  const order = { subject: "s", store: "s", input: "", place: "", runId, seed: 1 };
  return { order, events: all, struck: false, killed: !all.some(({ kind }) => kind === "ended") };
}
