import type { AnyKey } from "../key.ts";
import { node, type Node } from "../node.ts";
import type { Requirement } from "../context.ts";

/** A node for tests of wiring: its body is never run. */
export const part = (id: string, requires: readonly Requirement[], provides: readonly AnyKey[]): Node =>
  node(id, { requires, provides }, () => {
    throw new Error("tests of wiring run no body");
  });
