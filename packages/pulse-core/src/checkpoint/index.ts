/**
 * The bridge for layers that make executions reliable (CKPT-31). Hosts that want runs to survive their process use
 * `durable()` of `@pulse-ts/durable` instead.
 */
export { notStarted } from "./admit.ts";
export { checkpointNodes, checkpointPorts } from "./describe.ts";
export type { NodeDescription, PortDescription, RequiredKey } from "./describe.ts";
export { checkpointStreams, checkpointSubscriptions } from "./describe-streams.ts";
export type { StreamDescription, StreamReaderDescription, StreamSubscription } from "./describe-streams.ts";
export { checkpoint, checkpointInputs, restoreNodes } from "./bridge.ts";
export { scopeFailure } from "./scope-failure.ts";
export type { ReceivedInput } from "../run/inputs.ts";
export type {
  Attempt,
  AttemptRequest,
  CheckpointHooks,
  CheckpointOptions,
  ChildRequest,
  ChildScope,
  CommitRequest,
  ConfirmedOutput,
  HookCall,
  NodeResult,
  ReadValue,
  RestoredNode,
  RestorePlan,
  WrittenOutput,
} from "./hooks.ts";
export type {
  AppendRequest,
  ConfirmedMessage,
  FailMessageRequest,
  FinishRequest,
  GroupRef,
  HandledMessage,
  MessageAttempt,
  MessageAttemptRequest,
  OpenedStream,
  PreparedMessage,
  RestoredGroup,
  RestoredStream,
  StreamCommitRequest,
  StreamCommitted,
  StreamHookName,
  StreamHooks,
  StreamOpenRequest,
  StreamPart,
  StreamRef,
  StreamRefusal,
} from "./stream-hooks.ts";
export { makeOutcome } from "../run/outcome.ts";
