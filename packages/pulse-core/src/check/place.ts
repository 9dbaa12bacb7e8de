import { wordOf } from "./problem.ts";

/** Where a problem stands. Texts are made of it only when there is one: good graphs are the usual case. */
export interface Place {
  readonly graph: string;
  readonly kind: string;
  readonly id: unknown;
}

/** `order` for a graph, `order/price` for a node or a mount. */
export const pathOf = ({ graph, kind, id }: Place): string => (kind === "graph" ? graph : `${graph}/${wordOf(id)}`);

/** `node "price"`. */
export const textOf = ({ kind, id }: Place): string => `${kind} "${wordOf(id)}"`;
