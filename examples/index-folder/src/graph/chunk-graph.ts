import { graph, key, limiter, node, retry } from "@pulse-ts/core";
import { z } from "zod";
import { equipment, watched } from "../run/equipment.ts";
import { failOnPurpose } from "../run/faults.ts";
import { PassingFailure, readText } from "../scan/read-text.ts";
import { invert } from "../terms/invert.ts";
import { statisticsOf } from "../terms/statistics.ts";
import { chunkStatistics, chunkTexts, fileEntry, invertedIndex } from "../values.ts";
import type { ReadFile, SkippedFile } from "../values.ts";

/** Tries of reading one chunk, the first included. Part of the definition: a run keeps the budget it began with. */
export const readTriesMax = 5;
/** Chunks that are read at once, however many there are. */
export const readsAtOnce = 3;

/** The absolute folder. */
export const folder = key("folder", z.string());
const files = key("files", z.array(fileEntry));
const texts = key("texts", chunkTexts);
const statistics = key("statistics", chunkStatistics);
const index = key("index", invertedIndex);

/** Reads the files of one chunk. A try that another may mend is made again; the others wait their turn at the disk. */
const read = node(
  "read",
  {
    requires: [folder, files],
    provides: [texts],
    aspects: [
      retry({
        limit: readTriesMax,
        delay: 20,
        backoff: "exponential",
        when: (error) => error instanceof PassingFailure,
      }),
      limiter(readsAtOnce),
      watched,
    ],
  },
  async ({ folder, files }, context) => {
    const { reader, faults } = context.attachment(equipment);
    if (faults !== undefined) failOnPurpose(faults, context);
    const found: ReadFile[] = [];
    const skipped: SkippedFile[] = [];
    for (const file of files) {
      context.signal.throwIfAborted();
      const text = await readText(reader, folder, file);
      if ("reason" in text) skipped.push(text);
      else found.push(text);
    }
    return { texts: { files: found, skipped } };
  },
);

const count = node("count", { requires: [texts], provides: [statistics], aspects: [watched] }, ({ texts }) => ({
  statistics: statisticsOf(texts),
}));

const invertTerms = node("invert", { requires: [texts], provides: [index], aspects: [watched] }, ({ texts }) => ({
  index: invert(texts.files),
}));

/** What is done with each chunk. The whole graph mounts this one object several times (CORE-23). */
export const chunkGraph = graph("chunk", {
  inputs: [folder, files],
  outputs: [statistics, index],
  nodes: [read, count, invertTerms],
});
