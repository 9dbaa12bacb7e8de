import { headerKey, recordBuilder } from "@pulse-ts/durable";
import type { Header, RecordBuilder, RunRecord } from "@pulse-ts/durable";
import { corrupt } from "@pulse-ts/durable/define-store";
import { entryOf } from "./change.ts";
import type { StoredChange } from "./change.ts";

/**
 * The entries of a run, decoded and checked one after the other as they are read, so that of the files nothing but bytes is kept.
 * What is wrong with an entry counts only if no later change replaces it, and only once the header is known: of a newer
 * format nothing else can be said.
 */
export class ReadEntries {
  readonly #runId: string;
  readonly #wanted: "all" | "header";
  readonly #record: RecordBuilder;
  /** What is wrong, by entry key. */
  readonly #problems = new Map<string, unknown>();
  /** Where the header stands. */
  #header: string | undefined;

  constructor(runId: string, wanted: "all" | "header") {
    this.#runId = runId;
    this.#wanted = wanted;
    this.#record = recordBuilder(runId);
  }

  /** Takes the next change. `where`: file and line. */
  take(change: StoredChange, where: string): void {
    const { kind, key } = change;
    if (key === headerKey) this.#header = where;
    else if (this.#wanted === "header") return;
    if (this.#problems.size > 0) this.#problems.delete(key);
    try {
      if (kind === "delete") this.#record.apply({ kind, key });
      else this.#record.apply({ kind, key, entry: entryOf(change, { runId: this.#runId, where }) });
    } catch (error) {
      this.#problems.set(key, error);
    }
  }

  /** The record, isolated: it shares nothing with what was read. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
  record(path: string, revision: number): RunRecord {
    if (this.#problems.has(headerKey)) throw this.#problems.get(headerKey);
    if (this.#header === undefined) throw corrupt(this.#runId, path, "the entry header is missing");
    for (const problem of this.#problems.values()) throw problem;
    const record = this.#record.view(revision);
    const { runId } = record.header;
    if (runId !== this.#runId) {
      throw corrupt(this.#runId, this.#header, `the header names run ${JSON.stringify(runId)}`);
    }
    return record;
  }

  /** The header alone. @throws PULSE_CORRUPT, PULSE_NEWER_FORMAT */
  header(path: string, revision: number): Header {
    return this.record(path, revision).header;
  }
}
