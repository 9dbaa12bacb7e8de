import { expect, test } from "vitest";
import { fileStore } from "./open.ts";
import { errorOf, rejectionOf } from "./testing/error-of.ts";
import { openPlace } from "./testing/place.ts";

/** What the calls take from a program without types. */
interface UntypedStore {
  collect(options: unknown): Promise<unknown>;
  readonly catalog: { list(query: unknown): Promise<unknown>; count(query: unknown): Promise<unknown> };
}

const problemOf = (path: string): object => ({
  problems: [expect.objectContaining({ code: "PULSE_OPTION_INVALID", path })],
});

test("FILE-7 a store without options, or with an option that nobody knows, is refused by its name", () => {
  const untyped = fileStore as (options?: unknown) => unknown;
  for (const options of [undefined, null, "/var/runs", 5]) {
    const error = errorOf("PULSE_INVALID", () => untyped(options));
    expect(error.details).toMatchObject(problemOf("options"));
    expect(error.message).toContain("give an object with folder");
  }
  const error = errorOf("PULSE_INVALID", () => untyped({ folder: "x", stalems: 3 }));
  expect(error.details).toMatchObject(problemOf("stalems"));
  expect(error.message).toBe(
    "opening a file store: stalems is no option; there are folder, staleMs, foldBytesMin, contentBytesMin",
  );
});

test("STORE-7 a query with an option or a status that nobody knows is refused by its name", async () => {
  await using place = await openPlace();
  const { catalog } = fileStore(place) as UntypedStore;
  const wrong: readonly (readonly [Promise<unknown>, string, string])[] = [
    [catalog.list({ status: "faild" }), "status", 'status is "faild"; give one of running, completed, failed'],
    [catalog.list({ status: "toString" }), "status", 'status is "toString"'],
    [catalog.list({ prefx: "f" }), "prefx", "prefx is no option; there are status, prefix, after, limit"],
    [catalog.list({ prefix: 7 }), "prefix", "prefix is 7"],
    [catalog.list({ after: {} }), "after", "after is a value of type object"],
    [catalog.list({ limit: 0 }), "limit", "limit is 0"],
    [catalog.list(null), "options", "the options are null"],
    [catalog.count({ status: "faild" }), "status", 'status is "faild"'],
    [catalog.count({ limit: 5 }), "limit", "limit is no option; there are status, prefix"],
  ];
  for (const [call, path, message] of wrong) {
    const error = await rejectionOf("PULSE_INVALID", call);
    expect(error.details).toMatchObject(problemOf(path));
    expect(error.message).toContain(message);
  }
  expect(await catalog.list({ status: undefined, prefix: "", after: undefined, limit: 1 })).toEqual({ runs: [] });
  expect(await catalog.count({ status: "failed", prefix: "f" })).toBe(0);
});

test("STORE-8 a collection with an option that nobody knows is refused by its name", async () => {
  await using place = await openPlace();
  const store = fileStore(place) as UntypedStore;
  const error = await rejectionOf("PULSE_INVALID", store.collect({ windowms: 0 }));
  expect(error.details).toMatchObject(problemOf("windowms"));
  expect(error.message).toContain("windowms is no option; there are windowMs, signal");
  expect((await rejectionOf("PULSE_INVALID", store.collect({ signal: 1 }))).details).toMatchObject(problemOf("signal"));
  expect((await rejectionOf("PULSE_INVALID", store.collect(7))).details).toMatchObject(problemOf("options"));
});
