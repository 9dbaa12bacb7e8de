import { headerKey } from "@pulse-ts/durable";
import type { ReadAttempt, ReadHeader, ReadScope, ToldChange, ToldEntry } from "./child-event.ts";

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

  get header(): ReadHeader | undefined {
    return this.#read<ReadHeader>(headerKey);
  }

  scopes(): readonly (readonly [id: string, scope: ReadScope])[] {
    return this.#ofKind<ReadScope>("scope/");
  }

  attempts(): readonly (readonly [id: string, attempt: ReadAttempt])[] {
    return this.#ofKind<ReadAttempt>("attempt/");
  }

  /** Whether the record holds the node's result. */
  confirms(scope: string, nodeId: string): boolean {
    return this.entries.has(`node/${encodeURIComponent(scope)}/${encodeURIComponent(nodeId)}`);
  }

  attempt(id: string): ReadAttempt | undefined {
    return this.#read<ReadAttempt>(`attempt/${id}`);
  }

  #ofKind<Entry>(prefix: string): readonly (readonly [string, Entry])[] {
    // Ids of scopes and attempts are hexadecimal: nothing in them is encoded.
    return [...this.entries].flatMap(([key, content]): (readonly [string, Entry])[] =>
      key.startsWith(prefix) ? [[key.slice(prefix.length), JSON.parse(content) as Entry]] : [],
    );
  }

  #read<Entry>(key: string): Entry | undefined {
    const content = this.entries.get(key);
    // Told by `watchedStore`, whose entries are of the kind that their key says.
    return content === undefined ? undefined : (JSON.parse(content) as Entry);
  }
}
