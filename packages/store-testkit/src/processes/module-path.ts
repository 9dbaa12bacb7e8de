import type { Bench } from "../bench.ts";

/** The path of the store module. @throws an Error when the kit was not told it: then these checks are left out */
export function modulePath({ module }: Pick<Bench, "module">): string {
  if (module === undefined) throw new Error("this check needs the path of the store module");
  return module;
}
