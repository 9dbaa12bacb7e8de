import { graph, key, node, retry, timeout } from "@pulse-ts/core";
import { z } from "zod";

const url = key("url", z.url());
const page = key("page", z.object({ title: z.string(), text: z.string() }));
const summary = key("summary", z.string());

/** A page without a network: what a real body would fetch. It fails the first time, as networks do. */
let asked = 0;
function fetchPage(address: string): { title: string; text: string } {
  asked += 1;
  if (asked === 1) throw new Error("connection reset");
  return {
    title: `About ${new URL(address).hostname}`,
    text: "A graph runs its nodes. Each waits for its keys. That is all.",
  };
}

const download = node(
  "download",
  { requires: [url], provides: [page], aspects: [retry({ limit: 3 }), timeout(5_000)] },
  ({ url }) => ({ page: fetchPage(url) }),
);

const summarise = node("summarise", { requires: [page], provides: [summary] }, ({ page }) => ({
  summary: `${page.title}: ${page.text.split(". ", 1)[0]}.`,
}));

/** From an address to one sentence about the page behind it. */
export const digest = graph("digest", { inputs: [url], outputs: [summary], nodes: [download, summarise] });
