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
export { key, optional } from "./key.ts";
export type { AnyKey, AnyOptionalKey, Key, OptionalKey } from "./key.ts";
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
