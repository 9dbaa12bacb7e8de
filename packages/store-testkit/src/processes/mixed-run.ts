import { attemptKey, headerKey, nodeKey, recordBuilder } from "@pulse-ts/durable";
import type { RecordChange, RecordChanges } from "@pulse-ts/durable";
import { randomFrom } from "../random.ts";
import type { Random } from "../random.ts";
import { firstChanges, headerOf, idOf, put, readyValue, rootId } from "../sample-run.ts";
import type { SampleRun } from "../sample-run.ts";

/** Nodes that a run has at most: it is saved for as long as one likes and stops growing. */
const nodesMax = 24;

/** Bytes of the values. Most are small; some are over every usual threshold of contents. */
const sizes = [0, 8, 24, 24, 200, 200, 1_000, 3_000, 17_000, 40_000];

/** Changes of one save: mostly few, sometimes nearly the whole record. */
const counts = [1, 1, 1, 2, 3, 5, 16];

/**
 * A run of change lists of mixed size: nodes are put, put again and deleted, values are empty, small and big, some are the
 * same in every run, and the header changes now and then. It depends on the run id and the seed alone, so that processes
 * agree on every revision of it without talking.
 */
export function mixedRun(runId: string, seed: number): SampleRun {
  const saves: RecordChanges[] = [];
  const there = new Set<number>();
  const start = randomFrom(seed ^ numberOf(runId)).below(2 ** 31);
  const changesTo = (revision: number): RecordChanges => {
    while (saves.length < revision)
      saves.push(nextChanges(runId, saves.length + 1, there, randomFrom(start + saves.length)));
    return saves[revision - 1] ?? [];
  };
  let builder = recordBuilder(runId);
  let built = 0;
  return {
    runId,
    changesTo,
    at(revision) {
      if (revision < built) {
        builder = recordBuilder(runId);
        built = 0;
      }
      for (; built < revision; built += 1) for (const change of changesTo(built + 1)) builder.apply(change);
      // A copy: the builder goes on.
      return recordBuilder(runId, builder.view(revision)).view();
    },
  };
}

function nextChanges(runId: string, revision: number, there: Set<number>, random: Random): RecordChanges {
  const changes: RecordChange[] = revision === 1 ? [...firstChanges(runId)] : [];
  if (revision > 1 && random.below(6) === 0)
    changes.push(put(headerKey, headerOf(runId, { revision, resumes: revision })));
  const left = Array.from({ length: nodesMax }, (_, node) => node);
  for (let count = random.pick(counts); count > 0; count -= 1) {
    const [node = 0] = left.splice(random.below(left.length), 1);
    if (there.has(node) && random.below(4) === 0) {
      there.delete(node);
      changes.push(
        { kind: "delete", key: nodeKey(rootId, `node ${node}`) },
        { kind: "delete", key: attemptKey(idOf(node)) },
      );
    } else {
      there.add(node);
      changes.push(...nodeChanges(node, valueOf(runId, revision, random)));
    }
  }
  return changes;
}

function nodeChanges(node: number, bytes: Uint8Array): RecordChanges {
  const nodeId = `node ${node}`;
  const attempt = { parent: rootId, nodeId, boundary: "", index: 1, limit: 1, state: "confirmed" } as const;
  return [
    put(attemptKey(idOf(node)), attempt),
    put(nodeKey(rootId, nodeId), {
      nodeId,
      attempt: idOf(node),
      reason: "completed",
      outputs: [readyValue(bytes)],
    }),
  ];
}

function valueOf(runId: string, revision: number, random: Random): Uint8Array {
  const size = random.pick(sizes);
  if (size === 0) return new Uint8Array();
  // One of few that all runs share: kept once, collected when nothing names it, and put again.
  const text = random.below(3) === 0 ? `shared ${random.below(4)}` : `${runId} ${revision}`;
  return new Uint8Array(Buffer.alloc(size, `${text} `));
}

function numberOf(text: string): number {
  let number = 0;
  for (const byte of Buffer.from(text)) number = (Math.imul(number, 31) + byte) >>> 0;
  return number;
}
