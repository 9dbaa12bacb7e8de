import { isPulseError, PulseError } from "@pulse-ts/core";
import type { AnyKey, Host } from "@pulse-ts/core";
import type { CheckpointHooks, ConfirmedOutput, NodeResult, ReadValue, WrittenOutput } from "@pulse-ts/core/checkpoint";
import type { ReadyValue, SkippedValue } from "../record/format.ts";
import { toWellFormed } from "../record/plain.ts";
import { commitNode } from "../transition/commit-node.ts";
import { failAttempt } from "../transition/fail-attempt.ts";
import { openChild } from "../transition/open-child.ts";
import type { ChangeCall } from "./commit-queue.ts";
import type { Ledger } from "./ledger.ts";
import { OutputPlace } from "./output-place.ts";
import type { Prepared } from "./prepared.ts";
import { restoreScope } from "./restore-plan.ts";
import { headOf } from "./values.ts";
import type { CodedKey, Values } from "./values.ts";

export interface HookParts {
  readonly ledger: Ledger;
  readonly prepared: Prepared;
  readonly values: Values;
  readonly codedKey: (key: AnyKey) => CodedKey;
  readonly host: Host;
  /** Record the text of the failure that decides the run. */
  readonly keepFailure: boolean;
  /** Throws while the run is not recorded yet (DUR-25). */
  readonly mayBegin: () => void;
}

/** One output between its encoding and its confirmation. */
type PreparedOutput =
  | { readonly kind: "skipped"; readonly key: CodedKey; readonly record: SkippedValue }
  | { readonly kind: "ready"; readonly key: CodedKey; readonly record: ReadyValue; readonly written: ReadValue };

/** The durable side of core's checkpoints: each hook decides on the record, and settles when its save is confirmed. */
export function runHooks({
  ledger,
  prepared,
  values,
  codedKey,
  host,
  keepFailure,
  mayBegin,
}: HookParts): CheckpointHooks {
  const rootNodes = prepared.root.nodes.size;

  const prepareOutput = (output: WrittenOutput): PreparedOutput => {
    const key = codedKey(output.key);
    if (output.state === "skipped") return { kind: "skipped", key, record: { ...headOf(key), state: "skipped" } };
    if (output.state === "stream") throw new Error(`stream "${key.name}" is not recorded yet`);
    const { value, read } = output;
    if (read !== undefined) return { kind: "ready", key, record: values.pass(read, key), written: read };
    // Only a run that does not isolate its readers keeps the object that was written (CKPT-28, CODEC-9).
    return { kind: "ready", key, record: values.encode(key, value), written: () => value };
  };
  const confirmOutput = (output: PreparedOutput, { scope, nodeId }: NodeResult): ConfirmedOutput => {
    const { name } = output.key;
    if (output.kind === "skipped") return { name, state: "skipped" };
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
      return { id, index: entry.index, exhausted: state === "exhausted" };
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
      return { inputs, nodes: await restoreScope({ scope, place, nodes }, values) };
    },
    prepare: (result) => result.outputs.map(prepareOutput),
    async commit(request) {
      const { scope, nodeId, path, attempt, reason } = request;
      // What `prepare` returned for this very node.
      const outputs = request.prepared as readonly PreparedOutput[];
      const records = outputs.map(({ record }) => record);
      await ledger.submit(
        (view) => commitNode(view, { scope, nodeId, attempt, reason, outputs: records, rootNodes }),
        new HookChange(path, request),
      );
      return outputs.map((output) => confirmOutput(output, request));
    },
    convert(read, from, to) {
      const key = codedKey(to);
      const record = values.pass(read, key);
      return values.reader(record, key, { where: `"${from.name}" passed on as "${to.name}"` }, read);
    },
  };
}

function mountAt({ graphs }: Prepared, path: string) {
  const cut = path.lastIndexOf("/");
  return graphs.get(cut < 0 ? "" : path.slice(0, cut))?.nodes.get(path.slice(cut + 1))?.mount;
}

/** A change as a hook was asked for it. The signal stays behind its getter: it is made when it is first read (CORE-35). */
class HookChange implements ChangeCall {
  readonly path: string;
  readonly #call: { readonly signal: AbortSignal };

  constructor(path: string, call: { readonly signal: AbortSignal }) {
    this.path = path;
    this.#call = call;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }
}

/** Texts that others wrote may hold anything: what is recorded is well-formed (REC-15). */
export function failureText(error: unknown): string {
  try {
    const text = error instanceof Error || isPulseError(error) ? error.message : String(error);
    return toWellFormed(text.slice(0, failureTextMax));
  } catch {
    return "an error that cannot be described";
  }
}

/** Characters of a failure's text that are kept. */
export const failureTextMax = 10_000;
