import { describe, expectTypeOf, test } from "vitest";
import { key, node, optional, type } from "./index.ts";
import type { Context, Node } from "./index.ts";

const url = key("url", type<string>());
const hint = key("hint", type<number>());
const page = key("page", type<{ readonly title: string }>());
const size = key("size", type<number>());

describe("CORE-25 a body's result fits the node's keys", () => {
  test("CORE-25 values may come at once or later", () => {
    expectTypeOf(
      node("a", { requires: [url], provides: [page] }, ({ url: at }) => ({ page: { title: at } })),
    ).toEqualTypeOf<Node<"url", "page">>();
    node("b", { requires: [url], provides: [page] }, async ({ url: at }) => ({ page: { title: at } }));
    node("c", { requires: [optional(hint)], provides: [size] }, async ({ hint: near }) => ({ size: near ?? 0 }));
  });

  test("CORE-25 a wrong, a missing and a foreign value are refused", () => {
    // @ts-expect-error a number is no page
    node("a", { provides: [page] }, () => ({ page: 1 }));
    // @ts-expect-error later as well
    node("b", { provides: [page] }, async () => ({ page: { title: 1 } }));
    // @ts-expect-error size is missing
    node("c", { provides: [page, size] }, () => ({ page: { title: "" } }));
    // @ts-expect-error nothing is returned
    node("d", { provides: [page] }, () => {});
    // @ts-expect-error the node provides nothing
    node("e", {}, () => ({ page: { title: "" } }));
  });

  test("CORE-8 set and skip stand for a value, and skip() for all", () => {
    node("a", { provides: [page, size] }, (_values, context) => ({
      page: context.set(page, { title: "" }),
      size: context.skip(size),
    }));
    node("b", { provides: [page, size] }, async (_values, { skip, set }) => {
      if (Date.now() > 0) return skip();
      return { page: set(page, { title: "" }), size: 1 };
    });
    node("c", { provides: [page] }, (_values, { skip }) => skip());
  });

  test("CORE-4 a node that provides nothing returns nothing", () => {
    node("a", { requires: [url] }, () => {});
    node("b", { requires: [url] }, async () => {});
    node("c", {}, () => undefined);
  });
});

describe("CORE-9 a body sees and writes what its node declares", () => {
  test("CORE-9 the context knows the names of the node's keys", () => {
    node("a", { requires: [url, optional(hint)], provides: [page] }, (values, context) => {
      expectTypeOf(values).toEqualTypeOf<{ readonly url: string; readonly hint: number | undefined }>();
      expectTypeOf(context).toEqualTypeOf<Context<"url" | "hint", "page">>();
      expectTypeOf(context.get(url)).toEqualTypeOf<string>();
      // @ts-expect-error size is not declared
      context.get(size);
      // @ts-expect-error url is required, not provided
      context.set(url, "");
      // @ts-expect-error a number is no page
      context.set(page, 1);
      // @ts-expect-error url is required, not provided
      context.skip(url);
      return { page: { title: "" } };
    });
  });

  test("CORE-9 a name that is not required is refused", () => {
    // @ts-expect-error the node does not require page
    node("a", { requires: [url] }, ({ page: stranger }) => void stranger);
  });
});

test("CORE-4 what stands in requires and provides are keys", () => {
  // @ts-expect-error a name is no key
  node("a", { requires: ["url"] }, () => {});
  // @ts-expect-error an optional key cannot be provided
  node("b", { provides: [optional(page)] }, () => ({ page: { title: "" } }));
});

test("CORE-49 a node's type carries names only", () => {
  const one = node("one", { provides: [page] }, () => ({ page: { title: "" } }));
  const otherPage = key("page", type<number>());
  const other = node("other", { provides: [otherPage] }, () => ({ page: 1 }));
  expectTypeOf(one).toEqualTypeOf(other);
});
