import type { ExecutionState } from "./execution-state.ts";

/** Names what still runs when the drain time is over, deepest first: a mount only where no child of it still runs (CORE-30). */
export function nameAbandoned(execution: ExecutionState): void {
  const inside = new Set<string>();
  for (const child of execution.liveChildren) {
    inside.add(child.path);
    nameAbandoned(child);
  }
  for (const level of [...execution.levels, ...execution.late]) {
    level?.close();
    if (level !== undefined && !inside.has(level.path)) execution.tree.abandoned.add(level.path);
  }
}
