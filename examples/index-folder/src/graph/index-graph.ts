import { graph, key, mount, node, optional } from "@pulse-ts/core";
import { z } from "zod";
import { htmlReport } from "../report/html-report.ts";
import { jsonReport } from "../report/json-report.ts";
import { watched } from "../run/equipment.ts";
import { deal } from "../scan/deal.ts";
import { mergeIndexes, mergeStatistics } from "../terms/merge.ts";
import { rank } from "../terms/rank.ts";
import { catalogue, chunkStatistics, fileEntry, invertedIndex, listing, ranking, skippedFile } from "../values.ts";
import { chunkGraph, folder } from "./chunk-graph.ts";

export const chunksDefault = 8;
export const chunksMax = 64;

/** The name that the report shows for the folder. */
const title = key("title", z.string());
const listingKey = key("listing", listing);
const passedOver = key("passed-over", z.array(skippedFile));
const wholeIndex = key("index", invertedIndex);
const wholeCatalogue = key("catalogue", catalogue);
const ranked = key("ranking", ranking);
const json = key("json", z.string());
const html = key("html", z.string());

/** The keys of one chunk: its own, because a graph fills each key once. */
function chunkKeys(number: number) {
  return {
    files: key(`chunk-${number}-files`, z.array(fileEntry)),
    statistics: key(`chunk-${number}-statistics`, chunkStatistics),
    index: key(`chunk-${number}-index`, invertedIndex),
  };
}

/**
 * The whole job for a fixed number of chunks, as a graph is static: scan, each chunk through the same mounted graph,
 * merge, rank, report. Chunks that no file is dealt to are skipped.
 */
export function indexGraph(chunks: number) {
  const parts = Array.from({ length: chunks }, (_, at) => chunkKeys(at + 1));

  const scan = node(
    "scan",
    { requires: [listingKey], provides: [passedOver, ...parts.map(({ files }) => files)], aspects: [watched] },
    ({ listing }, context) => {
      const dealt = deal(listing, chunks);
      for (const [at, { files }] of parts.entries()) {
        const hand = dealt.chunks[at] ?? [];
        if (hand.length > 0) context.set(files, [...hand]);
        else context.skip(files);
      }
      return { "passed-over": [...dealt.passedOver] };
    },
  );

  const mounts = parts.map(({ files, statistics, index }, at) =>
    mount(`chunk-${at + 1}`, chunkGraph, { in: { files }, out: { statistics, index } }),
  );

  const merge = node(
    "merge",
    {
      requires: [passedOver, ...parts.flatMap(({ statistics, index }) => [optional(statistics), optional(index)])],
      provides: [wholeIndex, wholeCatalogue],
      aspects: [watched],
    },
    (values, context) => {
      const given = <Value>(value: Value | undefined): value is Value => value !== undefined;
      const indexes = parts.map(({ index }) => context.get(index)).filter(given);
      const statistics = parts.map((part) => context.get(part.statistics)).filter(given);
      const index = mergeIndexes(indexes);
      return { index, catalogue: mergeStatistics(statistics, values["passed-over"], index) };
    },
  );

  const rankTerms = node("rank", { requires: [wholeIndex], provides: [ranked], aspects: [watched] }, ({ index }) => ({
    ranking: rank(index),
  }));

  const whole = [title, listingKey, wholeCatalogue, wholeIndex, ranked] as const;
  const writeJson = node("write-json", { requires: whole, provides: [json], aspects: [watched] }, (found) => ({
    json: jsonReport({ ...found, otherFiles: found.listing.otherFiles }),
  }));
  const writeHtml = node("write-html", { requires: whole, provides: [html], aspects: [watched] }, (found) => ({
    html: htmlReport({ ...found, otherFiles: found.listing.otherFiles }),
  }));

  return graph("index-folder", {
    inputs: [folder, title, listingKey],
    outputs: [json, html, wholeIndex, wholeCatalogue],
    nodes: [scan, ...mounts, merge, rankTerms, writeJson, writeHtml],
  });
}
