import type { MediumFailure } from "@pulse-ts/durable/define-store";

/** What a store needs of a key-value service. */
export interface KeyValue {
  get(key: string, signal?: AbortSignal): Promise<Versioned | undefined>;
  /** Writes only over the version that is expected, `undefined` for none. Gives the new one, `undefined` on a mismatch. */
  put(key: string, value: string, expected: string | undefined, signal?: AbortSignal): Promise<string | undefined>;
  /** `false` when there is a value of another version than the one expected. */
  remove(key: string, expected?: string): Promise<boolean>;
  /** At most `limit` keys, ascending by UTF-16 units. */
  keys(page: { readonly prefix: string; readonly after: string; readonly limit: number }): Promise<readonly string[]>;
}

export interface Versioned {
  readonly value: string;
  readonly version: string;
  /** Milliseconds since it was written, by the clock of the service. */
  readonly ageMs: number;
}

/** The service said that it could not do it. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
}

/** Talks to the service at an address. @throws ServiceError, and what `fetch` throws */
export function keyValueClient(url: string): KeyValue {
  const ask = async (query: Record<string, string>, init: RequestInit, expected: number[]): Promise<Response> => {
    const response = await fetch(`${url}?${new URLSearchParams(query).toString()}`, init);
    if (expected.includes(response.status)) return response;
    throw new ServiceError(`the service answered ${response.status} ${response.statusText}`);
  };
  return {
    async get(key, signal) {
      const response = await ask({ key }, signal === undefined ? {} : { signal }, [200, 404]);
      const value = await response.text();
      if (response.status === 404) return undefined;
      return { value, version: response.headers.get("etag") ?? "", ageMs: Number(response.headers.get("age-ms")) };
    },
    async put(key, value, expected, signal) {
      const headers: Record<string, string> =
        expected === undefined ? { "if-none-match": "*" } : { "if-match": expected };
      const init = { method: "PUT", body: value, headers, ...(signal === undefined ? {} : { signal }) };
      const response = await ask({ key }, init, [200, 412]);
      await response.text();
      return response.status === 412 ? undefined : (response.headers.get("etag") ?? "");
    },
    async remove(key, expected) {
      const headers: Record<string, string> = expected === undefined ? {} : { "if-match": expected };
      const response = await ask({ key }, { method: "DELETE", headers }, [204, 412]);
      await response.text();
      return response.status === 204;
    },
    async keys({ prefix, after, limit }) {
      const response = await ask({ prefix, after, limit: String(limit) }, {}, [200]);
      return (await response.json()) as readonly string[];
    },
  };
}

/** What is wrong with the service, and what helps (the `explain` of a store). Anything else is a mistake of the store's. */
export function explain(error: unknown): MediumFailure | undefined {
  if (error instanceof ServiceError) return { found: `${error.message}; see its log, then resume` };
  // The two messages of `fetch`: no answer, and one that broke off.
  if (!(error instanceof TypeError) || !["fetch failed", "terminated"].includes(error.message)) return undefined;
  const { code } = (error.cause ?? {}) as { readonly code?: string };
  const found = "the key-value service cannot be reached; start it, then resume";
  return code === undefined ? { found } : { found, systemCode: code };
}
