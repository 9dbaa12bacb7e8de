import type * as z from "zod/v4/core";

/** True when every value of the schema's output is immutable, so that readers may share one decoded value (CODEC-13). */
export function isImmutableSchema(schema: z.$ZodType): boolean {
  const def = (schema as z.$ZodTypes)._zod.def;
  switch (def.type) {
    case "string":
    case "number":
    case "boolean":
    case "bigint":
    case "null":
    case "undefined":
    case "void":
    case "nan":
    case "enum":
    case "literal":
    case "template_literal":
      return true;
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "catch":
    case "nonoptional":
    case "readonly":
      return isImmutableSchema(def.innerType);
    case "union":
      return def.options.every((option) => isImmutableSchema(option));
    case "pipe":
      return isImmutableSchema(def.out);
    default:
      return false;
  }
}
