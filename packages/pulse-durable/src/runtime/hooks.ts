import { PulseError } from "@pulse-ts/core";
import type { Host } from "@pulse-ts/core";
import type { CheckpointHooks, ConfirmedOutput, NodeResult, ReadValue, WrittenOutput } from "@pulse-ts/core/checkpoint";
import type { ReadyValue, SkippedValue } from "../record/format.ts";
import type { StreamOutput } from "../transition/commit-node.ts";
import { commitNode } from "../transition/commit-node.ts";
import { failAttempt } from "../transition/fail-attempt.ts";
import { openChild } from "../transition/open-child.ts";
import type { CodedKeys } from "./coded-keys.ts";
import { contributedValues } from "./contributed-values.ts";
import { failureText } from "./failure-text.ts";
import { HookChange } from "./hook-change.ts";
import type { Ledger } from "./ledger.ts";
import { OutputPlace } from "./output-place.ts";
import type { Prepared } from "./prepared.ts";
import { restoreScope } from "./restore-plan.ts";
import { streamHooks } from "./stream-hooks.ts";
import { headOf } from "./values.ts";
import type { CodedKey, Values } from "./values.ts";

export interface HookParts {
  readonly ledger: Ledger;
  readonly prepared: Prepared;
  readonly values: Values;
  readonly keys: CodedKeys;
  readonly host: Host;
  /** Record the text of the failure that decides the run. */
  readonly keepFailure: boolean;
  /** Throws while the run is not recorded yet (DUR-25). */
  readonly mayBegin: () => void;
  /** Called when an acknowledgement or a stop of the host is confirmed (STR-53). */
  readonly hostCommitted: () => void;
}

/** One output between its encoding and its confirmation. */
type PreparedOutput =
  | { readonly kind: "skipped"; readonly key: CodedKey; readonly record: SkippedValue }
  | { readonly kind: "ready"; readonly key: CodedKey; readonly record: ReadyValue; readonly written: ReadValue }
  | { readonly kind: "stream"; readonly key: CodedKey; readonly record: StreamOutput };

/** The durable side of core's checkpoints: each hook decides on the record, and settles when its save is confirmed. */
export function runHooks(parts: HookParts): CheckpointHooks {
  const { ledger, prepared, values, keys, host, keepFailure, mayBegin } = parts;
  const rootNodes = prepared.root.nodes.size;

  const prepareOutput = (output: WrittenOutput): PreparedOutput => {
    const key = keys.key(output.key);
    if (output.state === "skipped") return { kind: "skipped", key, record: { ...headOf(key), state: "skipped" } };
    if (output.state === "stream") {
      const { sourceId } = output.stream;
      return { kind: "stream", key, record: { ...headOf(key), state: "stream", sourceId } };
    }
    const { value, read } = output;
    if (read !== undefined) return { kind: "ready", key, record: values.pass(read, key), written: read };
    // Only a run that does not isolate its readers keeps the object that was written (CKPT-28, CODEC-9).
    return { kind: "ready", key, record: values.encode(key, value), written: () => value };
  };
  const confirmOutput = (output: PreparedOutput, { scope, nodeId }: NodeResult): ConfirmedOutput => {
    const { name } = output.key;
    if (output.kind === "skipped") return { name, state: "skipped" };
    if (output.kind === "stream") return { name, state: "stream", sourceId: output.record.sourceId };
    const { key, record, written } = output;
    return {
      name,
      state: "ready",
      read: values.reader(record, key, new OutputPlace(scope, nodeId, name), written),
    };
  };

  return {
    async openAttempt(request) {
      mayBegin();
      if (ledger.stopped !== undefined) throw ledger.stopped.error;
      const { scope, nodeId, path, parent, boundary, limit } = request;
      const { id, entry, state } = ledger.openAttempt({
        scope,
        nodeId,
        path,
        parent,
        boundary,
        limit,
        newId: host.randomId(),
      });
      const attempt = { id, index: entry.index, exhausted: state === "exhausted" };
      // Only handlers of messages make such records: other runs wait for nothing here.
      if (boundary !== "" || ledger.view.record.managed.size === 0) return attempt;
      const contributed = await contributedValues({ scope, nodeId, attempt: id }, parts);
      return contributed.length === 0 ? attempt : { ...attempt, values: contributed };
    },
    async failAttempt(id, call) {
      const failure = keepFailure ? { failure: failureText(call.error) } : {};
      await ledger.submit((view) => failAttempt(view, { attempt: id, ...failure }), new HookChange(id, call));
    },
    async openChild(request) {
      const { attempt, graph, path } = request;
      const mount = mountAt(prepared, path);
      const place = prepared.graphs.get(path);
      if (mount === undefined || place === undefined) throw new Error(`the definition has no mount "${path}"`);
      const { fingerprint, fixed, inputs: keys } = mount;
      const { scope, failed, nodes } = await ledger.submit(
        (view) => openChild(view, { attempt, graph, path, inputs: fingerprint, bindings: true, keys }),
        new HookChange(path, request),
      );
      if (failed) {
        throw new PulseError("PULSE_CHECKPOINT_SCOPE_FAILED", `"${path}" has finally failed before (scope ${scope})`, {
          details: { scope },
        });
      }
      const inputs = new Map<string, ReadValue>();
      for (const [name, { key, record }] of fixed) {
        inputs.set(name, values.reader(record, key, { where: `fixed value "${name}" of mount "${path}"` }));
      }
      return { inputs, ...(await restoreScope({ scope, place, nodes }, parts)) };
    },
    prepare: (result) => result.outputs.map(prepareOutput),
    async commit(request) {
      const { scope, nodeId, path, attempt, reason, stops = [] } = request;
      // What `prepare` returned for this very node.
      const outputs = request.prepared as readonly PreparedOutput[];
      const records = outputs.map(({ record }) => record);
      await ledger.submit(
        (view) => commitNode(view, { scope, nodeId, attempt, reason, outputs: records, stops, rootNodes }),
        new HookChange(path, request),
      );
      return outputs.map((output) => confirmOutput(output, request));
    },
    streams: streamHooks(parts),
    convert(read, from, to) {
      const key = keys.key(to);
      const record = values.pass(read, key);
      return values.reader(record, key, { where: `"${from.name}" passed on as "${to.name}"` }, read);
    },
  };
}

function mountAt({ graphs }: Prepared, path: string) {
  const cut = path.lastIndexOf("/");
  return graphs.get(cut < 0 ? "" : path.slice(0, cut))?.nodes.get(path.slice(cut + 1))?.mount;
}
