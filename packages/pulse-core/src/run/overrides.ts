import type { CompiledGraph, CompiledNode } from "../compile.ts";
import type { Context } from "../context.ts";
import type { Problem } from "../errors.ts";
import type { Node } from "../node.ts";

/**
 * A body in the place of a node's (CORE-50). Without annotation `values` holds unknowns; it may be annotated with what
 * the node takes, `(values: { url: string }) => …`, by a type and not by an interface, which takes no unknowns by name.
 * TypeScript does not hold it against the node. It is a method's type, as only a method's may be narrowed so.
 */
export type OverrideBody = { of(values: Readonly<Record<string, unknown>>, context: Context): unknown }["of"];

/** What one execution replaces (CORE-40, CORE-50). */
export interface OverrideSpec {
  /** Node path to the body that runs in its place, with the node's requires, provides and aspects. */
  readonly nodes?: Readonly<Record<string, OverrideBody>>;
  /** Key name, for a child's key after its mount's path (`mount/key`), to the value it has: its provider does not run. */
  readonly keys?: Readonly<Record<string, unknown>>;
}

/** The overrides of one execution, looked up by path. */
export class Overrides {
  private readonly nodes: Readonly<Record<string, Node["body"]>>;
  private readonly keys: Readonly<Record<string, unknown>>;

  constructor(spec: OverrideSpec) {
    this.nodes = { ...spec.nodes };
    this.keys = { ...spec.keys };
  }

  bodyOf(path: string): Node["body"] | undefined {
    return Object.hasOwn(this.nodes, path) ? this.nodes[path] : undefined;
  }

  /** The values of a node's replaced keys, by name; `undefined` if none of its keys is replaced. */
  keysOf(path: string, node: CompiledNode, compiled: CompiledGraph): Record<string, unknown> | undefined {
    const prefix = path === "" ? "" : `${path}/`;
    const names = node.provides.map((slot) => (compiled.keys[slot] as { name: string }).name);
    const replaced = names.filter((name) => Object.hasOwn(this.keys, prefix + name));
    return replaced.length === 0
      ? undefined
      : Object.fromEntries(replaced.map((name) => [name, this.keys[prefix + name]]));
  }
}

/** An override that meets nothing, or that would meet an input, is a mistake. */
export function overrideProblems(spec: OverrideSpec, root: CompiledGraph): readonly Problem[] {
  const path = root.graph.name;
  const nodes = new Set<string>();
  const keys = new Set<string>();
  const inputs = new Set<string>();
  collect(root, "", nodes, keys, inputs);
  const unknown = (what: string, given: object = {}, known: ReadonlySet<string>): readonly Problem[] =>
    Object.keys(given)
      .filter((name) => !known.has(name))
      .map((name) => ({
        code: "PULSE_OVERRIDE_UNKNOWN",
        path,
        message: `the overrides name ${what} "${name}", which ${
          known === keys && inputs.has(name) ? "is an input; give it as one" : "this graph does not have; give its path"
        }`,
      }));
  const wrong = Object.entries(spec.nodes ?? {}).filter(([, body]) => typeof body !== "function");
  return [
    ...unknown("node", spec.nodes, nodes),
    ...unknown("the key", spec.keys, keys),
    ...wrong.map(([name]): Problem => ({
      code: "PULSE_OPTION_INVALID",
      path,
      message: `the override of node "${name}" is no function`,
    })),
  ];
}

function collect(
  compiled: CompiledGraph,
  prefix: string,
  nodes: Set<string>,
  keys: Set<string>,
  inputs: Set<string>,
): void {
  for (const { name } of compiled.inputs) inputs.add(prefix + name);
  for (const node of compiled.nodes) {
    if (node.mount === undefined) nodes.add(prefix + node.id);
    else collect(node.mount.child, `${prefix}${node.id}/`, nodes, keys, inputs);
    for (const slot of node.provides) keys.add(prefix + (compiled.keys[slot] as { name: string }).name);
  }
}
