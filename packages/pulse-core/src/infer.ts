/**
 * The checks that TypeScript makes of a graph (CORE-25), and the types that come out of one. Each element of a graph's
 * lists is mapped to `unknown`, which anything fits, or to a sentence, which nothing does: so the error stands on the
 * element and says what is wrong with it. Nothing here recurses: the cost is linear in the nodes (CORE-49).
 */
import type { Requirement } from "./context.ts";
import type { AnyKey, AnyOptionalKey, given, plain, value } from "./key.ts";
import type { Skipped } from "./skipped.ts";

/** What a graph shows of itself to its host and to mounts. */
export interface Ports {
  readonly inputs: readonly Requirement[];
  readonly outputs: readonly AnyKey[];
}

/** The place in a node's type that holds the names of the keys it requires. There is nothing there at run time. */
export declare const required: unique symbol;
/** The place in a node's type that holds the names of the keys it provides. There is nothing there at run time. */
export declare const provided: unique symbol;

/** What a node or a mount tells of itself in its type: names (CORE-49). */
export interface Named<Required extends string = string, Provided extends string = string> {
  readonly [required]: Required;
  readonly [provided]: Provided;
}

type Flat<Shape> = { [Name in keyof Shape]: Shape[Name] };

/** What a host gives to run a graph: an input declared optional may be left out, or be `skipped` (CORE-41). */
export type InputsOf<Graph extends Ports> = Flat<
  {
    readonly [Entry in Extract<Graph["inputs"][number], AnyKey> as Entry["name"]]: Entry[typeof given];
  } & {
    readonly [Entry in Extract<Graph["inputs"][number], AnyOptionalKey> as Entry["name"]]?:
      | Entry[typeof given]
      | Skipped;
  }
>;

/** The values of a graph's outputs, by name. Streams have no value: the host subscribes to them (STR-11). */
export type OutputsOf<Graph extends Ports> = {
  readonly [Entry in Graph["outputs"][number] as Entry[typeof plain]]: Entry[typeof value];
};

/** Each key that a list of nodes provides, with the places of its providers. */
type Places<Nodes extends readonly Named[]> = {
  [
    Place in keyof Nodes as Place extends `${number}`
      ? Nodes[Place] extends { readonly [provided]: infer Name extends string }
        ? Name
        : never
      : never
  ]: Place;
};

/** `Name` if there are several of `Type`, which must be given twice. */
type Several<Type, Each, Name> = Type extends unknown ? (Each extends Type ? never : Name) : never;

/** Names known one by one. Of `string` and `k${number}`, as loops make them, only the run-time check can judge. */
type Literal<Name> = Name extends string ? (Record<never, never> extends Record<Name, 1> ? never : Name) : never;

type Twice<Owners> = { [Name in keyof Owners]: Several<Owners[Name], Owners[Name], Name> }[keyof Owners];

/** The sentence, or nothing to say if no name is known. */
type Say<What extends string, Name> = [Literal<Name>] extends [never] ? unknown : `${What}: ${Literal<Name>}`;

/** `unknown` for nodes that fit together, else for each node `unknown` or what is wrong with it. */
export type CheckNodes<Nodes extends readonly Named[], Inputs extends string> = CheckAll<
  Nodes,
  Nodes[number][typeof provided] | Inputs,
  Twice<Places<Nodes>> | Extract<Nodes[number][typeof provided], Inputs>
>;

/** Looks at the nodes as a whole before it looks at each: good graphs are the usual case, and cheap so. */
type CheckAll<Nodes extends readonly Named[], Provided extends string, Doubled> = [
  Nodes[number][typeof required],
  Doubled,
] extends [Provided, never]
  ? unknown
  : { [Place in keyof Nodes]: CheckNode<Nodes[Place], Provided, Doubled> };

type CheckNode<Element extends Named, Provided extends string, Doubled> = Element[typeof required] extends Provided
  ? [Element[typeof provided] & Doubled] extends [never]
    ? unknown
    : Say<"two providers for key", Element[typeof provided] & Doubled>
  : Say<"no provider for key", Exclude<Element[typeof required], Provided>>;

/** For each output `unknown`, or what is wrong with it. */
export type CheckOutputs<Outputs extends readonly AnyKey[], Provided extends string> = {
  [Place in keyof Outputs]: Outputs[Place]["name"] extends Provided
    ? unknown
    : Say<"no provider for key", Outputs[Place]["name"]>;
};

/** Every key name that a graph of these inputs and nodes holds. */
export type NamesIn<Nodes extends readonly Named[], Inputs extends readonly Requirement[]> =
  | Nodes[number][typeof provided]
  | Inputs[number]["name"];
