import type { RunRecord } from "../record/format.ts";
import type { DefinitionView } from "./definition-view.ts";

/** What the checks of entries against each other look at. */
export interface CheckedParts {
  readonly record: RunRecord;
  /** Absent where none is at hand (REC-26): what only a definition tells is not checked then. */
  readonly definition?: DefinitionView;
  /** The scope that each attempt's node runs in; see `Chains`. */
  readonly scopeOf: ReadonlyMap<string, string>;
}
