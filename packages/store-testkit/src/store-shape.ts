import type { Session, Store } from "@pulse-ts/durable";
import { shown } from "./expectation.ts";

/** What `open` gave, if it is a store. @throws an Error that says what it is instead */
export function checkedStore(subject: string, store: unknown): Store {
  const what = `\`open\` of "${subject}" gave`;
  refuseWithout(what, store, ["acquire"]);
  // What else a store may have is optional.
  const { catalog, close } = store as Partial<Store>;
  if (close !== undefined && typeof close !== "function")
    throw new Error(`${what} a store whose close is ${shown(close)}`);
  if (catalog !== undefined)
    refuseWithout(`${what} a store whose catalog is`, catalog, ["list", "read", "delete", "count"]);
  return store as Store;
}

/** What `acquire` gave, if it is a session. @throws an Error that says what it is instead */
export function checkedSession(session: unknown): Session {
  refuseWithout("acquire gave", session, ["load", "save", "close"]);
  return session as Session;
}

function refuseWithout(what: string, value: unknown, methods: readonly string[]): void {
  if (typeof value !== "object" || value === null) throw new Error(`${what} ${shown(value)}; wanted: an object`);
  const missing = methods.filter((name) => typeof (value as Readonly<Record<string, unknown>>)[name] !== "function");
  if (missing.length > 0) throw new Error(`${what} an object without the method ${missing.join(", ")}`);
}
