import type { Aspect } from "./aspects/aspect.ts";
import type { AnyGraph } from "./graph.ts";
import type { AnyKey } from "./key.ts";

/** A node whose body is another graph (CORE-19). */
export interface Mount<Required extends string = string, Provided extends string = string> {
  readonly kind: "mount";
  readonly id: string;
  readonly graph: AnyGraph;
  /** Child input name to parent key, as the user wrote it. An input of equal name needs no entry. */
  readonly in: Readonly<Record<string, AnyKey>>;
  /** Child input name to constant. */
  readonly fix: Readonly<Record<string, unknown>>;
  /** Child output name to parent key; absent: every output under its own key. */
  readonly out: Readonly<Record<string, AnyKey>> | undefined;
  readonly aspects: readonly Aspect[];
  readonly required?: Required;
  readonly provided?: Provided;
}
