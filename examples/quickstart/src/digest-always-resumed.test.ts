import { alwaysResume } from "@pulse-ts/durable/testing";
import { expect, test } from "vitest";
import { digest } from "./digest.ts";

test("DUR-16 the example has the same outcome when it is stopped and resumed at every save", async () => {
  for (const stop of ["interrupt", "lost", "uncertain"] as const) {
    const { outcome, resumes } = await alwaysResume(digest, { url: "https://example.org" }, { stop });
    expect(outcome.values.summary).toBe("About example.org: A graph runs its nodes.");
    // The opening, two nodes, and in the first of these runs the try that fails.
    expect(resumes).toBe(stop === "interrupt" ? 4 : 3);
  }
});
