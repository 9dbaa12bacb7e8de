import { expectTypeOf, test } from "vitest";
import type { Context, Node, OverrideBody, OverrideSpec } from "../index.ts";

test("CORE-40 a replacing body needs no annotation: it takes unknowns by name, and a context", () => {
  const overrides: OverrideSpec = {
    nodes: {
      download: (values, context) => {
        expectTypeOf(values["url"]).toEqualTypeOf<unknown>();
        expectTypeOf(context).toEqualTypeOf<Context>();
        return { page: `page of ${String(values["url"])}` };
      },
      failing: () => Promise.reject(new Error("no")),
      skipping: (_values, { skip }) => skip(),
    },
  };
  expectTypeOf(overrides).toExtend<OverrideSpec>();
});

test("CORE-40 a replacing body may be annotated with what the node takes, and a node's own body is one", () => {
  expectTypeOf<
    (values: { readonly url: string }, context: Context<"url", "page">) => unknown
  >().toExtend<OverrideBody>();
  expectTypeOf(({ url }: { url: URL }) => ({ page: url.href })).toExtend<OverrideBody>();
  expectTypeOf<Node["body"]>().toExtend<OverrideBody>();
  // @ts-expect-error what is no function is no body
  const wrong: OverrideSpec = { nodes: { download: 3 } };
  expectTypeOf(wrong).toExtend<OverrideSpec>();
});
