import { graph, isPulseError, node } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { keyValueClient } from "./key-value-client.ts";
import { startKeyValueService } from "./key-value-service.ts";
import { keyValueStore } from "./key-value-store.ts";

const leaseMs = 60_000;
const options = { runId: "run", version: "1" };
const nothing = graph("nothing", { nodes: [node("nothing", {}, () => {})] });

async function openService() {
  const service = await startKeyValueService();
  onTestFinished(() => service.close());
  return { service, keys: keyValueClient(service.url), url: service.url };
}

const caughtBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

test("STORE-3 the service writes over the version that was named, and over no other", async () => {
  const { keys } = await openService();
  const first = await keys.put("a", "one", undefined);
  expect(await keys.put("a", "two", undefined)).toBe(undefined);
  const second = await keys.put("a", "two", first);
  expect(await keys.put("a", "three", first)).toBe(undefined);
  expect(await keys.remove("a", first)).toBe(false);
  expect(await keys.get("a")).toMatchObject({ value: "two", version: second });
  expect(await keys.remove("a", second)).toBe(true);
  expect(await keys.remove("a", second)).toBe(true);
  expect(await keys.put("a", "four", second)).toBe(undefined);
  expect(await keys.get("a")).toBe(undefined);
});

test("STORE-6 an owner whose lease was taken away saves nothing more", async () => {
  const { keys, url } = await openService();
  const [one, other] = [keyValueStore(keys, url, leaseMs), keyValueStore(keys, url, leaseMs)];
  await using slow = durable({ store: one });
  await using quick = durable({ store: other });
  const overtaken = graph("overtaken", {
    nodes: [
      node("slow", {}, async () => {
        // As if this process had been stopped for longer than its lease.
        for (const lease of await keys.keys({ prefix: "lease/", after: "", limit: 10 })) await keys.remove(lease);
        const session = await other.acquire("run");
        await session.close();
      }),
    ],
  });
  const error = await caughtBy(slow.run(overtaken, {}, options));
  expect(isPulseError(error, "PULSE_CHECKPOINT")).toBe(true);
  expect(isPulseError((error as Error).cause, "PULSE_OWNERSHIP_LOST")).toBe(true);
  expect((await quick.inspect("run")).root.nodes.map(({ state }) => state)).not.toContain("completed");
});

test("STORE-2 a run that was acquired and never saved leaves nothing behind", async () => {
  const { keys, url } = await openService();
  const session = await keyValueStore(keys, url, leaseMs).acquire("run");
  expect(await keys.keys({ prefix: "", after: "", limit: 10 })).toHaveLength(2);
  await session.close();
  expect(await keys.keys({ prefix: "", after: "", limit: 10 })).toEqual([]);
});

test("STORE-1 a service that is gone, and one that fails, are told with what helps", async () => {
  const { service, keys, url } = await openService();
  const store = keyValueStore(keys, url, leaseMs);
  await service.close();
  const gone = await caughtBy(store.acquire("run"));
  expect(isPulseError(gone, "PULSE_STORE") && gone.details.systemCode).toBe("ECONNREFUSED");
  expect((gone as Error).message).toBe(
    `acquiring run "run": the key-value service cannot be reached; start it, then resume; at ${url}`,
  );

  const failing = createServer((_, response) => response.writeHead(503).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void failing.close());
  await once(failing, "listening");
  const address = `http://127.0.0.1:${(failing.address() as AddressInfo).port}/`;
  const failed = await caughtBy(keyValueStore(keyValueClient(address), address, leaseMs).acquire("run"));
  expect(isPulseError(failed, "PULSE_STORE") && failed.message).toContain(
    "the service answered 503 Service Unavailable; see its log, then resume",
  );
});

test("REC-9 a value that was damaged is refused with its key, and changes nothing", async () => {
  const { keys, url } = await openService();
  const store = keyValueStore(keys, url, leaseMs);
  await using pulse = durable({ store });
  await pulse.run(nothing, {}, options);
  const whole = await keys.get("run/run");
  for (const damaged of ["", "no line of JSON\n", whole?.value.replace("nothing", "N0thing") ?? ""]) {
    await keys.put("run/run", damaged, (await keys.get("run/run"))?.version);
    const error = await caughtBy(pulse.resume(nothing, {}, options));
    expect(isPulseError(error, "PULSE_CORRUPT") && error.details.where).toBe(`run/run in ${url}`);
    expect((await keys.get("run/run"))?.value.endsWith(damaged.slice(damaged.indexOf("\n") + 1))).toBe(true);
    expect((await store.catalog.list()).runs[0]?.problem).toContain("run/run");
  }
});
