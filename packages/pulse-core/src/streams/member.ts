import type { ExecutionState } from "../run/execution-state.ts";
import type { Group } from "./group.ts";

/** One reader of a stream: a node under one key, or the host. */
export class Member {
  readonly group: Group;
  /** The node's path; empty for the host. */
  readonly path: string;
  /** The name under which the reader has the stream. */
  readonly key: string;
  /** Where it reads now; none for the host, and before it runs. */
  execution: ExecutionState | undefined;
  /** It was given the completed end, and nothing of its own came back after that (STR-10). */
  sawEnd = false;
  /** It has ended. */
  left = false;

  constructor(group: Group, path: string, key: string) {
    this.group = group;
    this.path = path;
    this.key = key;
    group.members.push(this);
  }
}
