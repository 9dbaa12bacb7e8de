import type { Aspect } from "./aspects/aspect.ts";
import type { Requirement } from "./context.ts";
import type { AnyKey } from "./key.ts";
import type { Mount } from "./mount.ts";
import type { Node } from "./node.ts";

/** A graph of any inputs and outputs. */
export interface AnyGraph {
  readonly kind: "graph";
  readonly name: string;
  readonly inputs: readonly Requirement[];
  readonly outputs: readonly AnyKey[];
  readonly nodes: readonly (Node | Mount)[];
  readonly aspects: readonly Aspect[];
}
