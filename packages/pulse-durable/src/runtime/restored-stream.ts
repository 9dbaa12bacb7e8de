import type { ConfirmedMessage, RestoredStream } from "@pulse-ts/core/checkpoint";
import { idsKey, messageIds } from "../record/entry-key.ts";
import type { ReadyValue, StreamEntry } from "../record/format.ts";
import type { RunView } from "../record/live-record.ts";
import { sequencesOf } from "../record/sequence-runs.ts";
import type { PreparedStream } from "./prepared.ts";
import type { CodedKey, ReadingPlace, Values } from "./values.ts";

/** A source as a view holds it: plain data, which later saves do not change. */
export interface RecordedSource {
  readonly sourceId: string;
  /** One for each group; they agree in all that is the source's (REC-29). */
  readonly groups: readonly StreamEntry[];
  /** What some group has not acknowledged, ascending. */
  readonly messages: readonly RecordedMessage[];
}

export interface RecordedMessage {
  readonly sequence: number;
  readonly value: ReadyValue;
}

/** Takes a source out of a view; `undefined` where the view has none of this id. Costs its groups and its rest. */
export function recordedSource({ record, index }: RunView, sourceId: string): RecordedSource | undefined {
  const groups = [...index.groupsOf(sourceId)].flatMap((ids) => record.streams.get(ids) ?? []);
  return groups.length === 0 ? undefined : { sourceId, groups, messages: messagesOf({ record }, sourceId, groups) };
}

/** The messages that these groups have not acknowledged. */
export function messagesOf(
  { record }: Pick<RunView, "record">,
  sourceId: string,
  groups: readonly StreamEntry[],
): readonly RecordedMessage[] {
  const sequences = new Set<number>();
  for (const { pending } of groups) for (const sequence of sequencesOf(pending)) sequences.add(sequence);
  return [...sequences]
    .toSorted((one, other) => one - other)
    .flatMap((sequence) => {
      const entry = record.messages.get(messageIds(sourceId, sequence));
      return entry === undefined ? [] : [{ sequence, value: entry.value }];
    });
}

/** What core is told of a source: as it is for a reader, or as the failed end that a confirmed alias has kept (STR-27). */
export interface SourceFacts {
  readonly source: RecordedSource;
  readonly stream: Pick<PreparedStream, "path" | "key" | "position">;
  /** As this process knows it: raised for what is open (STR-21). */
  readonly generation: number;
  readonly failed: boolean;
}

/**
 * A source as core installs it. Its messages are decoded when they are delivered, its position when it is asked for (DUR-15);
 * contents are fetched here, since core reads without waiting.
 */
export async function restoredStream(
  { source, stream, generation, failed }: SourceFacts,
  values: Values,
): Promise<RestoredStream> {
  const { sourceId, groups, messages } = source;
  const { path, key, position } = stream;
  const [first] = groups;
  if (first === undefined) throw new Error(`stream ${sourceId} has no group`);
  const head = { sourceId, generation, path, key: key.name, last: first.lastSequence };
  if (failed) return { ...head, end: "failed", groups: [], messages: [] };
  const { cursor } = first;
  await values.fetch([...messages.map(({ value }) => value), ...(cursor === undefined ? [] : [cursor])]);
  return {
    ...head,
    ...(cursor && { position: values.fresh(cursor, position, new CursorPlace(sourceId)) }),
    end: first.end === "open" ? "open" : "completed",
    groups: groups.map(({ group, ackedThrough, pending, stopped }) => ({
      name: group,
      ackedThrough,
      pending: [...sequencesOf(pending)],
      stopped,
    })),
    messages: messages.map(({ sequence, value }) => confirmedMessage({ sourceId, sequence, value, key }, values)),
  };
}

interface MessageParts extends RecordedMessage {
  readonly sourceId: string;
  readonly key: CodedKey;
  /** The object that was sent, for runs that do not isolate their readers (CODEC-9). */
  readonly written?: unknown;
  /** What was saved with it. */
  readonly position?: { readonly record: ReadyValue; readonly key: CodedKey };
}

/** A message as core delivers it: each delivery to each group reads it anew (CKPT-36). */
export function confirmedMessage(
  { sourceId, sequence, value, key, position, ...sent }: MessageParts,
  values: Values,
): ConfirmedMessage {
  const written = "written" in sent ? () => sent.written : undefined;
  const read = values.reader(value, key, new MessagePlace(sourceId, sequence), written);
  if (position === undefined) return { sequence, read };
  return { sequence, read, position: values.fresh(position.record, position.key, new CursorPlace(sourceId)) };
}

/** Where a message stands in the record; put into words for an error alone. */
class MessagePlace implements ReadingPlace {
  readonly sourceId: string;
  readonly sequence: number;

  constructor(sourceId: string, sequence: number) {
    this.sourceId = sourceId;
    this.sequence = sequence;
  }

  get where(): string {
    return `message/${messageIds(this.sourceId, this.sequence)}`;
  }
}

/** Where the position of a writer stands: every group's entry has the same. */
class CursorPlace implements ReadingPlace {
  readonly sourceId: string;

  constructor(sourceId: string) {
    this.sourceId = sourceId;
  }

  get where(): string {
    return `stream/${idsKey(this.sourceId)}: cursor`;
  }
}
