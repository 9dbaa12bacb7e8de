/**
 * The checks that TypeScript makes of a graph (CORE-25), and the types that come out of one. Each element of a graph's
 * lists is mapped to `unknown`, which anything fits, or to a sentence, which nothing does: so the error stands on the
 * element and says what is wrong with it. Nothing here recurses: the cost is linear in the nodes (CORE-49).
 */
import type { KeyOf, Requirement } from "./context.ts";
import type { AnyKey, Key, OptionalKey } from "./key.ts";
import type { Skipped } from "./skipped.ts";

/** What a graph shows of itself to its host and to mounts. */
export interface Ports {
  readonly inputs: readonly Requirement[];
  readonly outputs: readonly AnyKey[];
}

/** What a node or a mount tells of itself in its type: names. */
interface Named {
  readonly required?: string;
  readonly provided?: string;
}

/** The name of a key, or of the key in an `optional(…)`. */
export type NameOf<Entry> = Entry extends { readonly name: infer Name extends string }
  ? Name
  : Entry extends { readonly key: { readonly name: infer Name extends string } }
    ? Name
    : never;

/** What bodies see of a key. */
export type ValueOf<Entry> = KeyOf<Entry> extends Key<string, infer Value, unknown> ? Value : never;

type Flat<Shape> = { [Name in keyof Shape]: Shape[Name] };

/** What a host gives to run a graph: an input declared optional may be left out, or be `skipped` (CORE-41). */
export type InputsOf<Graph extends Ports> = Flat<
  {
    readonly [Entry in Extract<Graph["inputs"][number], AnyKey> as Entry["name"]]: Entry extends Key<
      string,
      unknown,
      infer Given
    >
      ? Given
      : never;
  } & {
    readonly [Entry in Extract<Graph["inputs"][number], { kind: "optional" }> as NameOf<Entry>]?:
      | (Entry extends OptionalKey<string, unknown, infer Given> ? Given : never)
      | Skipped;
  }
>;

/** The values of a graph's outputs, by name. */
export type OutputsOf<Graph extends Ports> = {
  readonly [Entry in Graph["outputs"][number] as Entry["name"]]: ValueOf<Entry>;
};

type RequiredOf<Element> = Element extends { readonly required?: infer Name } ? Extract<Name, string> : never;
type ProvidedOf<Element> = Element extends { readonly provided?: infer Name } ? Extract<Name, string> : never;

/** Each key that a list of nodes provides, with the places of its providers. */
type Places<Nodes extends readonly Named[]> = {
  [Place in keyof Nodes as Place extends `${number}` ? ProvidedOf<Nodes[Place]> : never]: Place;
};

type IsUnion<Type, Each = Type> = Type extends Each ? ([Each] extends [Type] ? false : true) : never;

/** Names known one by one. Of `string` and `k${number}`, as loops make them, only the run-time check can judge. */
type Literal<Name> = Name extends string ? (Record<never, never> extends Record<Name, 1> ? never : Name) : never;

type Twice<Owners> = { [Name in keyof Owners]: IsUnion<Owners[Name]> extends true ? Name : never }[keyof Owners];

type CheckNode<Element, Provided extends string, Doubled> = [Exclude<RequiredOf<Element>, Provided>] extends [never]
  ? [ProvidedOf<Element> & Doubled] extends [never]
    ? unknown
    : Say<"two providers for key", ProvidedOf<Element> & Doubled>
  : Say<"no provider for key", Exclude<RequiredOf<Element>, Provided>>;

/** The sentence, or nothing to say if no name is known. */
type Say<What extends string, Name> = [Literal<Name>] extends [never] ? unknown : `${What}: ${Literal<Name>}`;

/** For each node `unknown`, or what is wrong with it. */
export type CheckNodes<Nodes extends readonly Named[], Inputs extends string> = CheckEach<
  Nodes,
  ProvidedOf<Nodes[number]> | Inputs,
  Twice<Places<Nodes>> | (Inputs & ProvidedOf<Nodes[number]>)
>;

type CheckEach<Nodes extends readonly Named[], Provided extends string, Doubled> = {
  [Place in keyof Nodes]: CheckNode<Nodes[Place], Provided, Doubled>;
};

/** For each output `unknown`, or what is wrong with it. */
export type CheckOutputs<Outputs extends readonly AnyKey[], Provided extends string> = {
  [Place in keyof Outputs]: Outputs[Place]["name"] extends Provided
    ? unknown
    : Say<"no provider for key", Outputs[Place]["name"]>;
};

/** Every key name that a graph of these inputs and nodes holds. */
export type NamesIn<Nodes extends readonly Named[], Inputs extends readonly Requirement[]> =
  | ProvidedOf<Nodes[number]>
  | NameOf<Inputs[number]>;
