import type { ReadAttempt, ReadScope, ReadStream, ReadTry, ToldChange, ToldEntry } from "./child-event.ts";

/** The record as its confirmed saves made it: what the store has to give back. */
export class Mirror {
  revision = 0;
  /** Content by entry key. */
  readonly entries = new Map<string, string>();

  /** A copy that goes its own way. */
  with(revision: number, changes: readonly ToldChange[]): Mirror {
    const next = new Mirror();
    next.revision = revision;
    for (const [key, content] of this.entries) next.entries.set(key, content);
    for (const [key, content] of changes) {
      if (content === null) next.entries.delete(key);
      else next.entries.set(key, content);
    }
    return next;
  }

  /** The keys of the entries in which a record differs from this. */
  differences(found: readonly ToldEntry[]): readonly string[] {
    const others = new Map(found);
    const keys = new Set([...this.entries.keys(), ...others.keys()]);
    return [...keys].filter((key) => this.entries.get(key) !== others.get(key));
  }

  // Told by `watchedStore`: the entry under a key is of the kind that the key says.
  scopes(): readonly (readonly [id: string, scope: ReadScope])[] {
    return this.#idsOf("scope/").map((id) => [id, this.#read(`scope/${id}`) as ReadScope]);
  }

  attempts(): readonly (readonly [id: string, attempt: ReadAttempt])[] {
    return this.#idsOf("attempt/").map((id) => [id, this.#read(`attempt/${id}`) as ReadAttempt]);
  }

  /** The accounts of streams, each with what its key names. */
  streams(): readonly (readonly [ids: readonly string[], stream: ReadStream])[] {
    return this.#idsOf("stream/").map((ids) => [decoded(ids), this.#read(`stream/${ids}`) as ReadStream]);
  }

  /** The tries of messages, each with what its key names. */
  tries(): readonly (readonly [ids: readonly string[], entry: ReadTry])[] {
    return this.#idsOf("try/").map((ids) => [decoded(ids), this.#read(`try/${ids}`) as ReadTry]);
  }

  /** Whether the record holds the node's result. */
  confirms(scope: string, nodeId: string): boolean {
    return this.entries.has(`node/${encodeURIComponent(scope)}/${encodeURIComponent(nodeId)}`);
  }

  attempt(id: string): ReadAttempt | undefined {
    return this.#read(`attempt/${id}`) as ReadAttempt | undefined;
  }

  /** Ids of scopes and attempts are hexadecimal: nothing in them is encoded. */
  #idsOf(prefix: string): readonly string[] {
    return [...this.entries.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }

  #read(key: string): unknown {
    const content = this.entries.get(key);
    return content === undefined ? undefined : JSON.parse(content);
  }
}

function decoded(ids: string): readonly string[] {
  return ids.split("/").map(decodeURIComponent);
}
