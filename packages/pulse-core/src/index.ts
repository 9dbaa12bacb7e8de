export { aspect } from "./aspects/aspect.ts";
export type { Aspect, AspectContext, Next } from "./aspects/aspect.ts";
export type { Backoff } from "./aspects/backoff.ts";
export { limiter } from "./aspects/limiter.ts";
export { retry } from "./aspects/retry.ts";
export type { RetryOptions } from "./aspects/retry.ts";
export { timeout } from "./aspects/timeout.ts";
export { problemsOf, validate } from "./check/validate.ts";
export type { AttachmentToken, BaseContext, Context, Requirement, Settled } from "./context.ts";
export { toDot } from "./draw/dot.ts";
export { toMermaid } from "./draw/mermaid.ts";
export { isPulseError, PulseError } from "./errors.ts";
export type {
  EndDetails,
  NodeDetails,
  Problem,
  ProblemCode,
  PulseErrorCode,
  PulseErrorDetails,
  PulseErrorOptions,
} from "./errors.ts";
export { graph } from "./graph.ts";
export type { Graph, GraphSpec } from "./graph.ts";
export type { InputsOf, OutputsOf } from "./infer.ts";
export { key, optional } from "./key.ts";
export type { AnyKey, AnyOptionalKey, Key, OptionalKey } from "./key.ts";
export { mount } from "./mount.ts";
export type { AnyGraph, Mount } from "./mount.ts";
export { node } from "./node.ts";
export type { Body, Node, NodeSpec, ResultOf, ValuesOf } from "./node.ts";
export { skipped } from "./skipped.ts";
export type { Skipped } from "./skipped.ts";
export { topology } from "./topology.ts";
export type { Edge, MountShape, NodeShape, PortShape, Topology } from "./topology.ts";
export { isStandardSchema, type } from "./type.ts";
export type {
  GivenOfType,
  KeyType,
  StandardIssue,
  StandardResult,
  StandardSchema,
  TypeToken,
  ValueOfType,
} from "./type.ts";
export type { Wires } from "./wires.ts";
export type { EventBody, NodeReason, Observer, PulseEvent } from "./run/events.ts";
export { execution, run } from "./run/execution.ts";
export type { Execution } from "./run/execution.ts";
export { systemHost } from "./run/host.ts";
export type { Host } from "./run/host.ts";
export { attach, attachment, drainTimeoutDefault } from "./run/options.ts";
export type { Attachment, Checkpoint, ExecutionOptions } from "./run/options.ts";
export type { Outcome, OutcomeOf, Output } from "./run/outcome.ts";
export type { OverrideBody, OverrideSpec } from "./run/overrides.ts";
export type { KeySnapshot, NodeSnapshot, Snapshot } from "./run/snapshot.ts";
