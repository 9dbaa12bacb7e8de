import { attach, run } from "@pulse-ts/core";
import { alwaysResume } from "@pulse-ts/durable/testing";
import { fileStore } from "@pulse-ts/filestore";
import { join } from "node:path";
import { expect, test } from "vitest";
import { equipment } from "../run/equipment.ts";
import { diskReader } from "../scan/read-text.ts";
import { walk } from "../scan/walk.ts";
import { folderWith, sampleFiles } from "../testing/sample-folder.ts";
import { indexGraph } from "./index-graph.ts";

test("DUR-16 CKPT-29 the main job has the same outcome when it is stopped and resumed at every save", async () => {
  const folder = await folderWith(sampleFiles);
  const listing = await walk(folder, { leaveOut: [] });
  const inputs = { folder, title: "harbour", listing };
  const faults = { probability: 0.4, seed: 3 };
  const attachments = [attach(equipment, { reader: diskReader, faults })];
  const undisturbed = await run(indexGraph(2), inputs, { attachments });
  for (const stop of ["interrupt", "lost", "uncertain"] as const) {
    const store = fileStore({ folder: join(await folderWith({}), "runs") });
    const { outcome, resumes } = await alwaysResume(() => indexGraph(2), inputs, { stop, store, attachments });
    expect(outcome.outputs).toEqual(undisturbed.outputs);
    // At least: the opening, five nodes, two mounts with three nodes each and their scopes.
    expect({ stop, many: resumes > 12 }).toEqual({ stop, many: true });
  }
});
