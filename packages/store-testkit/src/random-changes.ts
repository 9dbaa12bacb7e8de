import { attemptKey, headerKey, nodeKey, scopeKey } from "@pulse-ts/durable";
import type {
  ManagedEntry,
  ReadyValue,
  RecordChange,
  RecordChanges,
  RecordEntry,
  SequenceRun,
  StreamDescriptor,
  StreamEntry,
  ValueRecord,
} from "@pulse-ts/durable";
import type { Random } from "./random.ts";
import { firstChanges, headerOf, sha256 } from "./sample-run.ts";

/**
 * The changes of one save, over every kind of entry (REC-27), each key at most once (REC-31): new entries, entries that
 * were there already, and deletions, also of what is not there. The first save puts the header.
 */
export function randomChanges(random: Random, runId: string, revision: number): RecordChanges {
  const changes = new Map<string, RecordChange>();
  const add = (change: RecordChange): void => void changes.set(change.key, change);
  if (revision === 1) firstChanges(runId, headerFields(random)).forEach(add);
  else if (random.below(3) === 0) {
    add({ kind: "put", key: headerKey, entry: { ...headerOf(runId, headerFields(random)), revision } });
  }
  for (let count = random.below(7); count > 0; count -= 1) {
    const [key, entry] = random.pick(kinds)(random);
    if (random.below(4) === 0) add({ kind: "delete", key });
    else add({ kind: "put", key, entry });
  }
  return [...changes.values()];
}

function headerFields(random: Random) {
  return {
    status: random.pick(["running", "completed", "failed"] as const),
    version: random.pick(texts),
    resumes: random.below(1_000_000),
    ...(random.below(2) === 0 ? {} : { failure: random.pick(texts) }),
    ...(random.below(2) === 0 ? {} : { outline: { [random.pick(texts)]: random.pick(texts) } }),
    ...(random.below(2) === 0 ? {} : { later: plainData(random, 3) }),
  };
}

type Entry = readonly [key: string, entry: RecordEntry];

/** One entry of each kind. What its ids are comes of a small stock, so that entries meet those that are there. */
const kinds: readonly ((random: Random) => Entry)[] = [
  (random) => [
    scopeKey(random.pick(ids)),
    { graph: random.pick(texts), path: random.pick(texts), inputs: sha256("inputs"), bindings: random.below(2) === 0 },
  ],
  (random) => {
    const nodeId = random.pick(ids);
    const outputs = Array.from({ length: random.below(3) }, () => randomValue(random));
    return [
      nodeKey(random.pick(ids), nodeId),
      { nodeId, attempt: random.pick(ids), reason: random.pick(["completed", "skipped"] as const), outputs },
    ];
  },
  (random) => [
    attemptKey(random.pick(ids)),
    {
      parent: random.pick(ids),
      nodeId: random.pick(texts),
      boundary: random.pick(texts),
      index: 1 + random.below(5),
      limit: 5,
      state: random.pick(["active", "failed", "confirmed"] as const),
    },
  ],
  (random) => {
    const [sourceId, group] = [random.pick(ids), random.pick(ids)];
    return [keyOf("stream", sourceId, group), streamEntry(random, sourceId, group)];
  },
  (random) => [keyOf("message", random.pick(ids), sequenceIn(random)), { value: randomReady(random) }],
  (random) => [
    keyOf("try", random.pick(ids), random.pick(ids), sequenceIn(random), random.pick(ids), random.pick(ids), "1"),
    { limit: 1 + random.below(3), state: random.pick(["active", "failed", "confirmed"] as const) },
  ],
  (random) => [keyOf("managed", random.pick(ids), random.pick(ids), random.pick(ids)), managedEntry(random)],
];

const sequenceIn = (random: Random): string => String(1 + random.below(9));

const keyOf = (kind: string, ...parts: readonly string[]): string =>
  `${kind}/${parts.map(encodeURIComponent).join("/")}`;

function randomValue(random: Random): ValueRecord {
  switch (random.below(6)) {
    case 0:
      return { ...randomHead(random), state: "skipped" };
    case 1:
      return { ...randomHead(random), state: "stream", stream: randomDescriptor(random) };
    default:
      return randomReady(random);
  }
}

function randomHead(random: Random) {
  return { name: random.pick(texts), codec: random.pick(texts), codecVersion: "1" };
}

function randomDescriptor(random: Random): StreamDescriptor {
  const descriptor = { sourceId: random.pick(ids), attempt: random.pick(ids), capacity: 8 };
  return random.below(2) === 0 ? descriptor : { ...descriptor, end: random.pick(["completed", "failed"] as const) };
}

function randomReady(random: Random, head = randomHead(random)): ReadyValue {
  const bytes = randomBytes(random);
  return { ...head, state: "ready", digest: sha256(bytes), bytes };
}

/** One group's account (REC-11), its pending runs in order and apart as a run writes them. */
function streamEntry(random: Random, sourceId: string, group: string): StreamEntry {
  const pending: SequenceRun[] = [];
  const ackedThrough = random.below(9);
  let last = ackedThrough;
  for (let count = random.below(4); count > 0; count -= 1) {
    const first = last + (pending.length === 0 ? 1 : 2 + random.below(3));
    last = first + random.below(3);
    pending.push([first, last]);
  }
  const key = random.pick(texts);
  return {
    scope: random.pick(ids),
    nodeId: random.pick(ids),
    key,
    group,
    sourceId,
    attempt: random.pick(ids),
    generation: 1 + random.below(9),
    capacity: 1 + random.below(9),
    resumable: random.below(2) === 0,
    lastSequence: last,
    ...(random.below(2) === 0 ? {} : { cursor: randomReady(random, { ...randomHead(random), name: key }) }),
    ackedThrough,
    pending,
    stopped: random.below(2) === 0,
    end: random.pick(["open", "completed", "failed", "canceled"] as const),
  };
}

/** Without a state, and with few values or none (REC-13). */
function managedEntry(random: Random): ManagedEntry {
  const values = Array.from({ length: random.below(3) }, () =>
    random.below(3) === 0 ? { ...randomHead(random), state: "skipped" as const } : randomReady(random),
  );
  if (random.below(3) === 0) return { values };
  return { state: randomReady(random, { ...randomHead(random), name: "" }), values };
}

/** Mostly few; now and then more than stores keep beside their records. */
function randomBytes(random: Random): Uint8Array {
  const size = random.below(12) === 0 ? 16_000 + random.below(20_000) : random.below(40);
  const step = 1 + random.below(250);
  return Uint8Array.from({ length: size }, (_, at) => (at * step + size) & 255);
}

function plainData(random: Random, depth: number): unknown {
  switch (random.below(depth > 0 ? 7 : 5)) {
    case 0:
      return random.pick(texts);
    case 1:
      return random.pick([0, 1, -7, 0.5, 1e21, Number.MAX_SAFE_INTEGER]);
    case 2:
      return random.below(2) === 0;
    case 3:
      return null;
    case 4:
      return [];
    case 5:
      return Array.from({ length: random.below(3) }, () => plainData(random, depth - 1));
    default:
      return Object.fromEntries([
        [random.pick(texts), plainData(random, depth - 1)],
        ["b", plainData(random, depth - 1)],
      ]);
  }
}

const ids = ["0".repeat(32), "f".repeat(32), "a", "A", "a/b", "100%", "\u00E9 😀", "__proto__", "it's"];
const texts = ["", "text", "NUL \0", "__proto__", "a.b", "camelCase", "e\u0301", "line\r\n", '"quoted\\"', "😀"];
