import type { ManagedEntry, MessageEntry, NodeEntry, RecordEntry, StreamEntry, ValueRecord } from "./format.ts";

/**
 * The values inside an entry: the outputs of a node, a message, a writer's position, a handler's state and what it has
 * contributed. The kind of an entry is told by its key (REC-27).
 */
export function valuesIn(key: string, entry: RecordEntry): readonly ValueRecord[] {
  const found: ValueRecord[] = [];
  mapValues(key, entry, (value) => {
    found.push(value);
    return value;
  });
  return found;
}

/** The entry with others in place of its values; the very entry if none has changed. Each is of the kind of that which it stands for. */
export function mapValues(key: string, entry: RecordEntry, change: (value: ValueRecord) => ValueRecord): RecordEntry {
  let changed = false;
  const other = (value: ValueRecord): ValueRecord => {
    const next = change(value);
    changed ||= next !== value;
    return next;
  };
  const mapped = mappedEntry(key, entry, other);
  return changed ? mapped : entry;
}

function mappedEntry(key: string, entry: RecordEntry, change: (value: ValueRecord) => ValueRecord): RecordEntry {
  switch (key.slice(0, key.indexOf("/"))) {
    case "node": {
      const node = entry as NodeEntry;
      return { ...node, outputs: node.outputs.map((output) => change(output)) };
    }
    case "message":
      return { ...entry, value: change((entry as MessageEntry).value) };
    case "stream": {
      const { cursor } = entry as StreamEntry;
      return cursor === undefined ? entry : { ...entry, cursor: change(cursor) };
    }
    case "managed": {
      const { state, values } = entry as ManagedEntry;
      const mapped = { ...entry, values: values.map((value) => change(value)) };
      return state === undefined ? mapped : { ...mapped, state: change(state) };
    }
    default:
      return entry;
  }
}
