import { run } from "@pulse-ts/core";
import { expect, test, vi } from "vitest";
import { digest } from "./digest.ts";

test("CORE-16 the example's first try fails, its second gives the summary, and a wrong input runs nothing", async () => {
  const failures: unknown[] = [];
  const outcome = await run(
    digest,
    { url: "https://example.org" },
    {
      observers: [(event) => event.kind === "attempt-failed" && failures.push(event.error)],
    },
  );
  expect(outcome.values.summary).toBe("About example.org: A graph runs its nodes.");
  expect(failures).toEqual([new Error("connection reset")]);
  await expect(run(digest, { url: "no address" })).rejects.toMatchObject({
    code: "PULSE_INVALID",
    details: { problems: [{ code: "PULSE_INPUT_INVALID" }] },
  });
});

test("the program prints the summary", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("./main.ts");
  expect(log.mock.calls).toEqual([["About example.org: A graph runs its nodes."]]);
});
