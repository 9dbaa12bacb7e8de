import { PulseError } from "@pulse-ts/core";
import type {
  ConfirmedMessage,
  ConfirmedOutput,
  HandledMessage,
  PreparedMessage,
  StreamHooks,
} from "@pulse-ts/core/checkpoint";
import { managedKey } from "../record/entry-key.ts";
import { shownRunId } from "../run-id.ts";
import { appendMessage } from "../transition/append-message.ts";
import { commitMessage } from "../transition/commit-message.ts";
import { failMessage } from "../transition/fail-message.ts";
import { failAttempt } from "../transition/fail-attempt.ts";
import { messageAttempt } from "../transition/message-attempt.ts";
import { openStream } from "../transition/open-stream.ts";
import { failureText } from "./failure-text.ts";
import { HookChange } from "./hook-change.ts";
import type { HookParts } from "./hooks.ts";
import { OutputPlace } from "./output-place.ts";
import { confirmedMessage, messagesOf, restoredStream } from "./restored-stream.ts";
import { encodedPart, encodePart, messageRecord, valueRecords } from "./stream-parts.ts";

/**
 * The durable side of streams: each hook decides on the record, and settles when its save is confirmed. What a source's end
 * refuses is an answer, not an error (STR-36, STR-43).
 */
export function streamHooks(parts: HookParts): StreamHooks {
  const { ledger, values, keys, host, keepFailure, mayBegin, hostCommitted } = parts;

  const sent = (
    messages: readonly PreparedMessage[],
    { sourceId, first }: { readonly sourceId: string; readonly first: number },
  ): ConfirmedMessage[] =>
    messages.map(({ value, position }, at) => {
      const { key, record, written } = encodedPart(value);
      const message = { sourceId, sequence: first + at, value: record, key, written };
      return confirmedMessage(
        position === undefined ? message : { ...message, position: encodedPart(position.value) },
        values,
      );
    });
  const contributed = ({ scope, nodeId, values: written }: HandledMessage): ConfirmedOutput[] =>
    written.map((output) => {
      const { name } = output.key;
      if (output.state === "skipped") return { name, state: "skipped" };
      const { key, record, written: value } = encodedPart(output.value);
      return {
        name,
        state: "ready",
        read: values.reader(record, key, new OutputPlace(scope, nodeId, name), () => value),
      };
    });

  return {
    prepare: (part) => encodePart(part, keys, values),
    async open(request) {
      mayBegin();
      const { scope, nodeId, path, key, attempt, resumable, groups } = request;
      const newId = host.randomId();
      const { capacity } = key.stream;
      const command = { scope, nodeId, key: key.name, attempt, capacity, resumable, groups, newId };
      const opened = await ledger.submit(
        (view) => {
          const { changes, result } = openStream(view, command);
          return { changes, result: { ...result, messages: messagesOf(view, result.sourceId, result.entries) } };
        },
        new HookChange(path, request),
      );
      const { state, sourceId, generation, entries, messages } = opened;
      const stream = { path, key: keys.key(key), position: keys.position(key) };
      const source = { sourceId, groups: entries, messages };
      return { state, ...(await restoredStream({ source, stream, generation, failed: false }, values)) };
    },
    async append(request) {
      const { sourceId, generation, path, message } = request;
      const command = { sourceId, generation, ...messageRecord(message) };
      const result = await ledger.submit((view) => appendMessage(view, command), new HookChange(path, request));
      if ("refused" in result) return result;
      const [confirmed] = sent([message], { sourceId, first: result.sequence });
      return confirmed as ConfirmedMessage;
    },
    async openMessage(request) {
      if (ledger.stopped !== undefined) throw ledger.stopped.error;
      const { sourceId, group, sequence, scope, nodeId, path, attempt: parent, limit, stateType } = request;
      const command = { sourceId, group, sequence, scope, nodeId, parent, limit };
      const { index, exhausted, state } = messageAttempt(ledger.view, command);
      if (state === undefined) return { index, exhausted };
      const key = keys.state(stateType);
      if (state.codec !== key.codec.id)
        throw otherState(ledger.view.record.header.runId, path, state.codec, key.codec.id);
      await values.fetch([state]);
      const where = `${managedKey(scope, parent, nodeId)}: state`;
      return { index, exhausted, state: values.fresh(state, key, { where }) };
    },
    async failMessage(request) {
      const { sourceId, generation, group, sequence, nodeId, path, attempt: parent, index, limit } = request;
      const command = { sourceId, generation, group, sequence, nodeId, parent, index, limit };
      await ledger.submit((view) => failMessage(view, command), new HookChange(path, request));
    },
    async commit(request) {
      const { sourceId, generation, group, path, sequence, stop, handled } = request;
      const command = {
        sourceId,
        generation,
        group,
        stop,
        ...(sequence === undefined ? {} : { sequence }),
        ...(handled === undefined ? {} : { handled: handledCommand(handled) }),
      };
      const result = await ledger.submit((view) => commitMessage(view, command), new HookChange(path, request));
      if (path === "") hostCommitted();
      if ("refused" in result) return result;
      const sends = result.sends.map((placed, at) => {
        const send = handled?.sends[at];
        return placed === undefined || send === undefined
          ? undefined
          : sent(send.messages, { sourceId: send.sourceId, first: placed.first });
      });
      return { values: handled === undefined ? [] : contributed(handled), sends };
    },
    async finish(request) {
      const { attempt, path, error } = request;
      const failure = keepFailure ? { failure: failureText(error) } : {};
      await ledger.submit((view) => failAttempt(view, { attempt, ...failure }), new HookChange(path, request));
    },
  };

  function handledCommand({ scope, nodeId, attempt, index, limit, state, values: written, sends }: HandledMessage) {
    return {
      scope,
      nodeId,
      parent: attempt,
      index,
      limit,
      ...(state === undefined ? {} : { state: encodedPart(state.value).record }),
      values: valueRecords(written, keys),
      sends: sends.map(({ sourceId, generation, messages }) => ({
        sourceId,
        generation,
        messages: messages.map(messageRecord),
      })),
    };
  }
}

/** The handlers have another type for their state than those that wrote it: nothing is damaged, the program was changed. */
function otherState(runId: string, path: string, expected: string, found: string): PulseError<"PULSE_INCOMPATIBLE"> {
  return new PulseError(
    "PULSE_INCOMPATIBLE",
    `resuming run "${shownRunId(runId)}": the state of node "${path}" was written with the codec ${JSON.stringify(expected)}, and its handlers declare ${JSON.stringify(found)}; give handleMessages the type that it had, or start a run under another id`,
    { details: { runId, next: "same-definition", what: "codec", expected, found, path } },
  );
}
