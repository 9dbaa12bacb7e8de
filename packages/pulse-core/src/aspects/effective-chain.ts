import type { CompiledNode } from "../compile.ts";
import type { Aspect } from "./aspect.ts";

/**
 * The aspects really around a node, outermost first: the execution's, then those of its graph and its own (CORE-13, CKPT-20).
 * `outer` is what the execution was given; `false` switches all of them off (CORE-14).
 */
export function effectiveChain(outer: readonly Aspect[] | false, node: CompiledNode): readonly Aspect[] {
  if (outer === false) return [];
  if (node.aspects.length === 0) return outer;
  return outer.length === 0 ? node.aspects : [...outer, ...node.aspects];
}
