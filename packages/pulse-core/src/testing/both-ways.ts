/** Does the work in the way that a test asks for. */
export type Doing = <Result>(work: () => Result) => Result | Promise<Result>;

/** The two ways in which a body may do its work; for `test.each`. */
export const bothWays: readonly { readonly how: string; readonly as: Doing }[] = [
  { how: "a synchronous body", as: (work) => work() },
  { how: "an asynchronous body", as: async (work) => (await Promise.resolve(), work()) },
];
