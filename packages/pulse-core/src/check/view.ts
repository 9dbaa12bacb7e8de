import type { Aspect } from "../aspects/aspect.ts";
import type { Requirement } from "../context.ts";
import type { Problem } from "../errors.ts";
import type { AnyKey } from "../key.ts";
import { keyOfEntry } from "../key-of-entry.ts";
import type { AnyGraph, Mount } from "../mount.ts";
import type { Node } from "../node.ts";
import { wiringOf } from "../wiring.ts";
import { kindOf, problem, wordOf } from "./problem.ts";

/** A list of keys in a graph, with words for it. */
export interface KeyList {
  readonly path: string;
  /** `requires of node "price"`. */
  readonly text: string;
  readonly keys: readonly AnyKey[];
  /** A mount may read one key for several inputs. */
  readonly mayRepeat: boolean;
}

/** A node or a mount, reduced to what it reads and writes. */
export interface Part {
  readonly path: string;
  readonly id: unknown;
  /** `node "price"`. */
  readonly text: string;
  readonly mount: Mount | undefined;
  /** In a mount one for each wired input; `input` is then the child's name for it, `implied` that no entry names it. */
  readonly reads: readonly { readonly key: AnyKey; readonly input?: string; readonly implied?: boolean }[];
  readonly writes: readonly AnyKey[];
}

/** What of a graph is sound enough to be looked at. Everything else has become a problem. */
export interface View {
  readonly name: string;
  /** `graph "order"`. */
  readonly text: string;
  readonly inputs: readonly AnyKey[];
  readonly outputs: readonly AnyKey[];
  readonly parts: readonly Part[];
  /** Every list in which a key is named by its own object, in order of the definition. */
  readonly lists: readonly KeyList[];
}

type Loose<Name extends PropertyKey> = { readonly [Each in Name]?: unknown };

/** Reads a graph that may be anything (JavaScript users, casts), and reports what is not of the right shape (CORE-26). */
export function viewOf(
  given: unknown,
  problems: Problem[],
  /** Whether a mounted graph is sound; reports it if it is not. */
  isSound: (child: AnyGraph, path: string) => boolean,
): View {
  const graph = record<keyof AnyGraph>(given);
  const name = wordOf(graph.name);
  const text = `graph "${name}"`;
  const bad = (path: string, what: string, wanted: string, found: unknown): void =>
    void problems.push(problem("PULSE_DEFINITION_INVALID", path, `${what} must be ${wanted}, but is ${kindOf(found)}`));
  /** The sound entries of a list. */
  const list = <Entry>(value: unknown, path: string, what: string, wanted: string, fits: (entry: unknown) => boolean) => {
    if (!Array.isArray(value)) {
      bad(path, what, "a list", value);
      return [];
    }
    // A sparse list has holes, which `filter` would pass over.
    return Array.from(value as unknown[]).filter((entry, index): entry is Entry => {
      const fitting = fits(entry);
      if (!fitting) bad(path, `entry ${index} of ${what}`, wanted, entry);
      return fitting;
    });
  };
  const lists: KeyList[] = [];
  const keys = (value: unknown, path: string, what: string): AnyKey[] => {
    const found = list<AnyKey>(value, path, what, "a key", isKey);
    lists.push({ path, text: what, keys: found, mayRepeat: false });
    return found;
  };
  const entries = (value: unknown, path: string, what: string): AnyKey[] => {
    const found = list<Requirement>(value, path, what, "a key or optional(key)", isEntry).map(keyOfEntry);
    lists.push({ path, text: what, keys: found, mayRepeat: false });
    return found;
  };
  const aspects = (value: unknown, path: string, what: string): void =>
    void list<Aspect>(value, path, `aspects of ${what}`, "an aspect", (entry) => typeof record<keyof Aspect>(entry).run === "function");
  /** The sound entries of a mount's `in` or `out`. */
  const keysByName = (value: unknown, path: string, what: string, mayRepeat: boolean): Record<string, AnyKey> => {
    const sound: Record<string, AnyKey> = Object.create(null) as Record<string, AnyKey>;
    if (typeof value !== "object" || value === null) bad(path, what, "an object", value);
    else
      for (const [port, entry] of Object.entries(value))
        if (isKey(entry)) sound[port] = entry;
        else bad(path, `"${port}" in ${what}`, "a key", entry);
    lists.push({ path, text: what, keys: Object.values(sound), mayRepeat });
    return sound;
  };

  const inputs = entries(graph.inputs, name, `inputs of ${text}`);
  const outputs = keys(graph.outputs, name, `outputs of ${text}`);
  aspects(graph.aspects, name, text);
  const isPart = (entry: unknown): boolean => ["node", "mount"].includes(record<keyof Node>(entry).kind as string);
  const drafts = list<Loose<keyof Node | keyof Mount>>(graph.nodes, name, `nodes of ${text}`, "a node or a mount", isPart).map((part) => {
    const path = `${name}/${wordOf(part.id)}`;
    const what = `${part.kind as string} "${wordOf(part.id)}"`;
    aspects(part.aspects, path, what);
    const head = { path, id: part.id, text: what };
    if (part.kind === "node") {
      if (typeof part.body !== "function") bad(path, `the body of ${what}`, "a function", part.body);
      const reads = entries(part.requires, path, `requires of ${what}`).map((key) => ({ key }));
      return { ...head, mount: undefined, reads, writes: keys(part.provides, path, `provides of ${what}`) };
    }
    const fix = typeof part.fix === "object" && part.fix !== null ? part.fix : {};
    if (fix !== part.fix) bad(path, `fix of ${what}`, "an object", part.fix);
    const mount = {
      ...(part as Mount),
      in: keysByName(part.in, path, `in of ${what}`, true),
      fix: fix as Mount["fix"],
      out: part.out === undefined ? undefined : keysByName(part.out, path, `out of ${what}`, false),
    };
    const written = Object.values(mount.out ?? {});
    const isGraph = record<keyof AnyGraph>(part.graph).kind === "graph";
    if (!isGraph) bad(path, `what ${what} mounts`, "a graph", part.graph);
    if (!isGraph || !isSound(mount.graph, path)) return { ...head, mount: undefined, reads: [], writes: written };
    const writes = mount.out === undefined ? mount.graph.outputs : written;
    if (mount.out === undefined) lists.push({ path, text: `outputs of what ${what} mounts`, keys: writes, mayRepeat: false });
    return { ...head, mount, reads: [], writes };
  });
  // An optional input of a child is wired by itself only if the parent has the very same key (CORE-19).
  const has = new Set([...inputs, ...drafts.flatMap((part) => part.writes)]);
  const parts = drafts.map((part): Part => {
    const { mount } = part;
    if (mount === undefined) return part;
    const reads = wiringOf(mount, (key) => has.has(key)).in.map(({ input, from }) => ({
      key: from,
      input,
      implied: !Object.hasOwn(mount.in, input),
    }));
    return { ...part, reads };
  });
  return { name, text, inputs, outputs, parts, lists };
}

/** Any value as something whose fields can be asked for. */
const record = <Name extends PropertyKey>(value: unknown): Loose<Name> => (typeof value === "object" && value !== null ? value : {});

function isKey(value: unknown): value is AnyKey {
  return record<keyof AnyKey>(value).kind === "key";
}

function isEntry(value: unknown): boolean {
  return isKey(value) || (record<keyof Requirement>(value).kind === "optional" && isKey(record<"key">(value).key));
}
