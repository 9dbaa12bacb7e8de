import { headerKey, scopeKey } from "./entry-key.ts";
import { recordFormat } from "./format.ts";
import type { Header, RecordChange, RecordChanges, RunRecord, ScopeEntry } from "./format.ts";

/**
 * Format 1 is format 2 without streams, and an absent `bindings` means false in it (REC-28). It is read as it is; what
 * goes on from it is written in the current format, and the first save puts what the two spell in different ways.
 */
export function inCurrentFormat(record: RunRecord): RunRecord {
  if (record.header.format >= recordFormat) return record;
  const scopes = new Map(record.scopes);
  for (const [id, scope] of unbound(record)) scopes.set(id, { ...scope, bindings: false });
  return { ...record, header: { ...record.header, format: recordFormat }, scopes };
}

/** What the next save puts beside its own changes to upgrade `found`; `header` is the one that it would have otherwise. */
export function upgradeChanges(found: RunRecord, header: Header): RecordChanges {
  const scopes = unbound(found).map(([id, scope]): RecordChange => {
    return { kind: "put", key: scopeKey(id), entry: { ...scope, bindings: false } };
  });
  return [{ kind: "put", key: headerKey, entry: { ...header, format: recordFormat } }, ...scopes];
}

function unbound({ scopes }: RunRecord): readonly (readonly [string, ScopeEntry])[] {
  return [...scopes].filter(([, { bindings }]) => bindings === undefined);
}
