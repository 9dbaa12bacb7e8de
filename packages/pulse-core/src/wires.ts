/** The checks that TypeScript makes of one mount (CORE-25), and the names that its type carries into the parent's check. */
import type { Aspect } from "./aspects/aspect.ts";
import type { Ports } from "./infer.ts";
import type { AnyKey, AnyOptionalKey, value } from "./key.ts";

/** How a child graph is wired into its parent (CORE-19). */
export interface Wires<Child extends Ports, In, Fixed extends PropertyKey, Out> {
  /** Child input name to parent key. An input that is named neither here nor in `fix` takes the parent's key of its name. */
  readonly in?: In & CheckIn<Child, In, Fixed>;
  /** Child input name to constant. It is passed as it is: no schema runs over it. */
  readonly fix?: { readonly [Name in Fixed]: CheckFixed<Child, Name> };
  /** Child output name to parent key. Left out: every output under its own key; given: exactly these. */
  readonly out?: Out & CheckOut<Child, Out>;
  /** Around the whole child, outermost first (CORE-22). */
  readonly aspects?: readonly Aspect[];
}

/** Names to keys. */
export type KeysByName = Readonly<Record<string, AnyKey>>;

declare const constant: unique symbol;

/** Stands beside a constant's type in error messages, to name the input. There is no such value. */
interface ConstantFor<Name> {
  readonly [constant]: Name;
}

type PlainName<Child extends Ports> = Extract<Child["inputs"][number], AnyKey>["name"];
type InputName<Child extends Ports> = Child["inputs"][number]["name"];
type OutputName<Child extends Ports> = Child["outputs"][number]["name"];

/** What bodies of the child see of the port of that name. */
type PortValue<Entry, Name> = Entry extends AnyKey | AnyOptionalKey
  ? Name extends Entry["name"]
    ? ValueOf<Entry extends AnyOptionalKey ? Entry["key"] : Entry>
    : never
  : never;
type InputValue<Child extends Ports, Name> = PortValue<Child["inputs"][number], Name>;
type OutputValue<Child extends Ports, Name> = PortValue<Child["outputs"][number], Name>;
type ValueOf<Entry> = Entry extends AnyKey ? Entry[typeof value] : never;
type NameOf<Entry> = Entry extends AnyKey ? Entry["name"] : never;

/** A key of no known name, as loops hold them, is left to the run-time check. */
type Fits<Wired, From, To> = string extends NameOf<Wired> ? true : [From] extends [To] ? true : false;

/** For each wire `unknown`, or what is wrong with it. */
type CheckIn<Child extends Ports, In, Fixed> = {
  readonly [Name in keyof In]: Name extends InputName<Child>
    ? Name extends Fixed
      ? `two sources for input: ${Name}`
      : Fits<In[Name], ValueOf<In[Name]>, InputValue<Child, Name>> extends true
        ? unknown
        : `key "${NameOf<In[Name]>}" does not fit input: ${Name}`
    : `no such input: ${Name & string}`;
};

type CheckFixed<Child extends Ports, Name> =
  Name extends InputName<Child> ? InputValue<Child, Name> | ConstantFor<Name> : `no such input: ${Name & string}`;

type CheckOut<Child extends Ports, Out> = {
  readonly [Name in keyof Out]: Name extends OutputName<Child>
    ? Fits<Out[Name], OutputValue<Child, Name>, ValueOf<Out[Name]>> extends true
      ? unknown
      : `output "${Name}" does not fit key: ${NameOf<Out[Name]>}`
    : `no such output: ${Name & string}`;
};

/** The parent's keys that a mount reads: those named, and one for each input left to its own name. */
export type RequiredBy<Child extends Ports, In, Fixed> = Extract<
  NameOf<In[keyof In]> | Exclude<PlainName<Child>, keyof In | Fixed>,
  string
>;

/** The parent's keys that a mount provides. Without an `out` there is nothing to infer it from but its bound. */
export type ProvidedBy<Child extends Ports, Out> = string extends keyof Out
  ? OutputName<Child>
  : NameOf<Out[keyof Out]>;
