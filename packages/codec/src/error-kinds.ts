/** An error class of the language, with what makes a bare instance of it. */
export interface ErrorKind {
  readonly name: string;
  readonly make: () => Error;
}

const kinds: readonly ErrorKind[] = [
  { name: "Error", make: () => new Error() },
  { name: "AggregateError", make: () => new AggregateError([]) },
  { name: "EvalError", make: () => new EvalError() },
  { name: "RangeError", make: () => new RangeError() },
  { name: "ReferenceError", make: () => new ReferenceError() },
  { name: "SyntaxError", make: () => new SyntaxError() },
  { name: "TypeError", make: () => new TypeError() },
  { name: "URIError", make: () => new URIError() },
];

/** The error classes that `structured()` knows, by prototype. Others are class instances, which need a codec of their own. */
export const errorKinds: ReadonlyMap<object, ErrorKind> = new Map(
  kinds.map((kind) => [Object.getPrototypeOf(kind.make()) as object, kind]),
);

export const errorKindsByName: ReadonlyMap<string, ErrorKind> = new Map(kinds.map((kind) => [kind.name, kind]));

/** What an error's constructor sets without making it enumerable. */
export const hiddenErrorNames: ReadonlySet<string> = new Set(["cause", "errors", "message", "name"]);

/** Makes an error that holds these properties, and a stack that names no place: the place of its birth was not stored. */
export function makeError(kind: ErrorKind): Error {
  const error = kind.make();
  for (const key of Reflect.ownKeys(error)) Reflect.deleteProperty(error, key);
  return error;
}

/** Gives a decoded error the first line of a stack, so that printing it shows what it says and not where it was decoded. */
export function setStack(error: Error): void {
  const name = ownText(error, "name") ?? (Object.getPrototypeOf(error) as Error).name;
  const message = ownText(error, "message") ?? "";
  Object.defineProperty(error, "stack", {
    value: message === "" ? name : `${name}: ${message}`,
    configurable: true,
    enumerable: false,
    writable: true,
  });
}

function ownText(error: Error, key: string): string | undefined {
  const value: unknown = Object.getOwnPropertyDescriptor(error, key)?.value;
  return typeof value === "string" ? value : undefined;
}
