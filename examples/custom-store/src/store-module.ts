import type { StoreSubject } from "@pulse-ts/store-testkit";
import { keyValueClient } from "./key-value-client.ts";
import type { KeyValue } from "./key-value-client.ts";
import { startKeyValueService } from "./key-value-service.ts";
import type { KeyValueService } from "./key-value-service.ts";
import { keyValueStore } from "./key-value-store.ts";

type At = (point: string) => void | Promise<void>;

/** Short, so that the check that stops an owner does not wait long. */
const leaseMs = 3000;

const services = new Map<string, KeyValueService>();

/** What the kit is told of this store: `pulse-store-check dist/store-module.js`. */
export const subject: StoreSubject = {
  name: "key-value store",
  async newPlace() {
    const service = await startKeyValueService();
    services.set(service.url, service);
    return service.url;
  },
  open(place, at) {
    const service = keyValueClient(place);
    return keyValueStore(at === undefined ? service : watched(service, at), place, leaseMs);
  },
  async removePlace(place) {
    await services.get(place)?.close();
    services.delete(place);
  },
  faultPoints: ["get", "put", "remove"].flatMap((call) =>
    ["run", "lease"].flatMap((kind) => [`before ${call} ${kind}`, `after ${call} ${kind}`]),
  ),
  overtakeMs: leaseMs + 1000,
  without: { "REC-24": "it writes the whole record at each save: for runs of some hundred nodes" },
};

/** Calls `at` before and after each change and each look: there a process may die, or the network fail. */
function watched(service: KeyValue, at: At): KeyValue {
  const around = async <Result>(call: string, key: string, action: () => Promise<Result>): Promise<Result> => {
    const point = `${call} ${key.startsWith("run/") ? "run" : "lease"}`;
    await at(`before ${point}`);
    const result = await action();
    await at(`after ${point}`);
    return result;
  };
  return {
    ...service,
    get: (key, signal) => around("get", key, () => service.get(key, signal)),
    put: (key, value, expected, signal) => around("put", key, () => service.put(key, value, expected, signal)),
    remove: (key, expected) => around("remove", key, () => service.remove(key, expected)),
  };
}
