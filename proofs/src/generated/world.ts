import { aspect } from "@pulse-ts/core";
import type { Aspect, BaseContext } from "@pulse-ts/core";
import type { NoteBody } from "@pulse-ts/store-testkit";

/** What the bodies of one generated graph know of where they are, in one process. */
export interface World {
  /** Stands inside a retry: notes which of its tries this is. `level`: which retry of its chain, from 0. */
  readonly countTry: (level: number) => Aspect;
  /** The start of a body. */
  readonly begin: (context: BaseContext) => void;
  /** The tries of the chain at that depth that the path goes through: 0 is the root graph's node. */
  readonly triesAt: (path: string, depth: number) => readonly number[];
}

/**
 * Only one try of a chain runs at a time, and a chain that was killed begins anew with its aspects (CKPT-29): so the last
 * try that was noted is the one that a body is in, and the place made of it is the same in every process.
 */
export function makeWorld(note: NoteBody): World {
  const tries = new Map<string, number[]>();
  const triesAt = (path: string, depth: number): readonly number[] =>
    tries.get(
      path
        .split("/")
        .slice(0, depth + 1)
        .join("/"),
    ) ?? [];
  const placeOf = (path: string): string =>
    path
      .split("/")
      .map((id, depth) => {
        const counted = triesAt(path, depth);
        return counted.length === 0 ? id : `${id}(${counted.join(",")})`;
      })
      .join("/");
  return {
    countTry: (level) =>
      aspect("count try", async ({ path, attempt }, next) => {
        const outer = tries.get(path)?.slice(0, level) ?? [];
        tries.set(path, [...outer, attempt]);
        await next();
      }),
    begin({ path, idempotencyKey }) {
      const depth = path.split("/").length - 1;
      note({ path, id: idempotencyKey, tries: triesAt(path, depth), place: placeOf(path) });
    },
    triesAt,
  };
}
