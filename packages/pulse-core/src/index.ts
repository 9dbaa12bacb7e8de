export type { AttachmentToken, BaseContext, Context, Requirement, Settled } from "./context.ts";
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
