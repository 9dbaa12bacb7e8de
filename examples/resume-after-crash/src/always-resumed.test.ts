import { attach } from "@pulse-ts/core";
import { alwaysResume } from "@pulse-ts/durable/testing";
import { fileStore } from "@pulse-ts/filestore";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ordering, outside } from "./order.ts";
import { outsideIn } from "./outside.ts";

test("DUR-16 DUR-25 stopped and resumed at every save, the order has the same outcome and is paid once", async () => {
  for (const stop of ["interrupt", "lost", "uncertain"] as const) {
    const folder = await mkdtemp(join(tmpdir(), "pulse-always-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const said: string[] = [];
    const world = { ...outsideIn(folder), crashOnce: () => {}, say: (text: string) => void said.push(text) };
    const { outcome } = await alwaysResume(
      ordering,
      { order: { item: "lantern", cents: 4_200 } },
      { stop, store: fileStore({ folder: join(folder, "runs") }), attachments: [attach(outside, world)] },
    );
    const payments = (await readFile(join(folder, "payments.txt"), "utf8")).trim().split("\n");
    expect(payments).toHaveLength(1);
    expect(outcome.values.receipt).toBe(`reserved: lantern, paid with payment-${payments[0]?.slice(0, 8)}`);
    // What was confirmed ran once; what was lost with its save ran again, with the same key.
    expect(said.filter((line) => line.startsWith("charge"))).toHaveLength(stop === "lost" ? 2 : 1);
  }
});
