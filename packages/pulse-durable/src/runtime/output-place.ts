import { idsKey } from "../record/entry-key.ts";
import type { ReadingPlace } from "./values.ts";

/** Where an output stands in the record. Runs have many, and only an error's message puts one into words. */
export class OutputPlace implements ReadingPlace {
  readonly scope: string;
  readonly nodeId: string;
  readonly name: string;

  constructor(scope: string, nodeId: string, name: string) {
    this.scope = scope;
    this.nodeId = nodeId;
    this.name = name;
  }

  get where(): string {
    return `node/${idsKey(this.scope, this.nodeId)}: output "${this.name}"`;
  }
}
