import type { ProcessEvent } from "./process-event.ts";

/** What a run may be found at: revision 0 is a run that is not there. */
interface Expected {
  readonly confirmed: number;
  /** After the save, or the delete, that was on its way. */
  readonly perhaps?: number;
}

/** The runs as their owners told of them: what the next owner may find, and nothing else (KIT-2). */
export class ToldRuns {
  readonly #runs = new Map<string, Expected>();

  get runIds(): readonly string[] {
    return [...this.#runs.keys()];
  }

  /** Takes in what happened. Gives what is wrong with it. */
  see(event: ProcessEvent): string | undefined {
    switch (event.kind) {
      case "saving":
      case "saved":
      case "deleting":
      case "deleted": {
        const revision = "revision" in event ? event.revision : 0;
        const { confirmed } = this.#of(event.runId);
        const isDone = event.kind === "saved" || event.kind === "deleted";
        this.#runs.set(event.runId, isDone ? { confirmed: revision } : { confirmed, perhaps: revision });
        return undefined;
      }
      case "loaded":
        return this.found(event);
      default:
        return undefined;
    }
  }

  /** A run was loaded. Gives what is wrong with it; what was found counts from here on, so that one loss is told once. */
  found({ runId, revision, difference }: Omit<Extract<ProcessEvent, { kind: "loaded" }>, "kind">): string | undefined {
    const { confirmed, perhaps } = this.#of(runId);
    this.#runs.set(runId, { confirmed: revision });
    const wanted = [confirmed, ...(perhaps === undefined ? [] : [perhaps])];
    if (!wanted.includes(revision)) {
      const lost = revision < confirmed ? "; what was acknowledged is lost" : "";
      return `run "${runId}" is found ${stateAt(revision)} where it was to be ${wanted.map(stateAt).join(" or ")}${lost}`;
    }
    if (difference === undefined) return undefined;
    return `run "${runId}" is found ${stateAt(revision)}, but not as it was saved: ${difference}`;
  }

  #of(runId: string): Expected {
    return this.#runs.get(runId) ?? { confirmed: 0 };
  }
}

function stateAt(revision: number): string {
  return revision === 0 ? "absent" : `at revision ${revision}`;
}
