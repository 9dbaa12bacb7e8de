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

/** A name for messages, also if it is none. */
export const wordOf = (name: unknown): string => (typeof name === "string" ? name : `(${kindOf(name)})`);

/** What a value is, for messages about values that should be something else. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  const kind = typeof value === "object" ? (value as { readonly kind?: unknown }).kind : undefined;
  return typeof kind === "string" ? `of kind "${kind}"` : typeof value;
}
