import { graph, key, node, optional, type } from "@pulse-ts/core";
import { expectTypeOf, test } from "vitest";
import { alwaysResume } from "./always-resume.ts";

const url = key("url", type<string>());
const limit = key("limit", type<number>());
const page = key("page", type<{ title: string }>());
const build = () =>
  graph("load", {
    inputs: [url, optional(limit)],
    outputs: [page],
    nodes: [node("load", { requires: [url], provides: [page] }, ({ url }) => ({ page: { title: url } }))],
  });

test("DUR-16 inputs and outcomes are inferred from the graph, and from a function that builds it", async () => {
  const { outcome, resumes } = await alwaysResume(build(), { url: "x" });
  expectTypeOf(outcome.values).toEqualTypeOf<{ readonly page: { title: string } }>();
  expectTypeOf(resumes).toEqualTypeOf<number>();
  const built = await alwaysResume(build, { url: "x", limit: 3 }, { stop: "lost" });
  expectTypeOf(built.outcome.values.page.title).toEqualTypeOf<string>();
  await alwaysResume(build(), { url: "x" }, { beforeStart: (execution) => void execution.snapshot() });
  // @ts-expect-error a missing input
  await alwaysResume(build(), {});
  // @ts-expect-error an input of another type
  await alwaysResume(build, { url: 1 });
  // @ts-expect-error counting resumes before anything runs leaves nothing to get further by
  await alwaysResume(build, { url: "x" }, { maxResumes: 3 });
});
