import { headerKey, scopeKey } from "../record/entry-key.ts";
import { recordFormat } from "../record/format.ts";
import type { RecordChanges } from "../record/format.ts";

export interface StartRun {
  readonly runId: string;
  readonly version: string;
  readonly definition: string;
  readonly inputs: string;
  readonly keyIds?: readonly string[];
  readonly codecKeys?: Readonly<Record<string, string>>;
  readonly outline?: Readonly<Record<string, string>>;
  /** A new id. */
  readonly rootScope: string;
  /** The root graph's id. */
  readonly graph: string;
  /** How many nodes the root graph has: a run without any is completed as it starts. */
  readonly rootNodes: number;
}

/** The first save of a run: its header at revision 1 and its root scope (REC-2). Fold it, or give it to the store, as it is. */
export function startRun(command: StartRun): RecordChanges {
  const { runId, version, definition, inputs, keyIds, codecKeys, outline, rootScope, graph, rootNodes } = command;
  return [
    {
      kind: "put",
      key: headerKey,
      entry: {
        format: recordFormat,
        runId,
        revision: 1,
        version,
        definition,
        inputs,
        ...(keyIds === undefined ? undefined : { keyIds }),
        ...(codecKeys === undefined ? undefined : { codecKeys }),
        rootScope,
        status: rootNodes === 0 ? "completed" : "running",
        resumes: 0,
        ...(outline === undefined ? undefined : { outline }),
      },
    },
    { kind: "put", key: scopeKey(rootScope), entry: { graph, path: "", inputs, bindings: false } },
  ];
}
