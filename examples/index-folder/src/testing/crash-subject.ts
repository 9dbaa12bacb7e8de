import { attach } from "@pulse-ts/core";
import type { BaseContext } from "@pulse-ts/core";
import { indexGraph } from "../graph/index-graph.ts";
import { equipment } from "../run/equipment.ts";
import { jobVersion } from "../run/job.ts";
import { diskReader } from "../scan/read-text.ts";
import { walk } from "../scan/walk.ts";

export { proseFiles } from "./random.ts";

export interface JobSubject {
  /** The folder that is indexed. */
  readonly folder: string;
  readonly chunks: number;
  /** How likely one try of reading a chunk fails, from 0 to 1, and what decides it. */
  readonly faults: { readonly probability: number; readonly seed: number };
  readonly noteBody: (place: BaseContext) => void;
}

/** The graph of the job with all that it runs on, but for a store: for proofs that kill it. */
export async function jobSubject({ folder, chunks, faults, noteBody }: JobSubject) {
  return {
    graph: indexGraph(chunks),
    inputs: { folder, title: "Proof", listing: await walk(folder, { leaveOut: [] }) },
    version: jobVersion,
    options: { attachments: [attach(equipment, { reader: diskReader, faults, noteBody })] },
  };
}
