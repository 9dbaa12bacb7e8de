import { copiesOf } from "./plan.ts";

/** What the copy of a message is worth, by its message and place. */
export const copyOf = (sequence: number, at: number): number => sequence * 10 + at;

/** The copy of this sequence, when the messages are handled once each and in their order. */
function copyAt(sequence: number): number {
  for (let message = 1, left = sequence; ; message++) {
    const copies = copiesOf(message);
    if (left <= copies) return copyOf(message, left);
    left -= copies;
  }
}

/** What may be said of an operation: it was asked for, it is true, it is not, or its process died in between. */
type Known = "asked" | "yes" | "no" | "maybe";

interface Sent {
  readonly position: number;
  known: Known;
}

/** What the readers of a group have seen, over all processes: the small model of a group (STR-5, STR-7, STR-46). */
interface GroupModel {
  readonly acknowledged: Map<number, Known>;
  stopped: Known;
  /** By reader: what its try has got and not acknowledged. */
  readonly held: Map<string, Set<number>>;
}

export interface HandledState {
  readonly count: number;
  readonly sum: number;
}

/**
 * The small model of a program: what its bodies were told in all processes of a run, and each contradiction as a sentence.
 * What was under way when a process died may be true or not; what comes later decides.
 */
export class Witness {
  readonly faults: string[] = [];
  readonly done: Record<string, number> = {};
  /** Whether something failed that no try is left for. */
  fatal = false;
  readonly #seed: number;
  readonly #sent = new Map<number, Sent>();
  readonly #groups = new Map<string, GroupModel>();
  /** Values by stream and sequence, as they were delivered. */
  readonly #delivered = new Map<string, Map<number, number>>();
  readonly #tries = new Map<string, number>();
  #serial = 0;
  #handled = 0;
  #message = { attempt: 0, failed: false };

  constructor(seed: number) {
    this.#seed = seed;
  }

  fault(what: string): void {
    this.faults.push(`seed ${this.#seed}: ${what}`);
  }

  did(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1;
  }

  /** A process is gone: whatever it had asked for may be true. */
  processEnded(): void {
    for (const sent of this.#sent.values()) if (sent.known === "asked") sent.known = "maybe";
    for (const group of this.#groups.values()) {
      for (const [sequence, known] of group.acknowledged)
        if (known === "asked") group.acknowledged.set(sequence, "maybe");
      if (group.stopped === "asked") group.stopped = "maybe";
      group.held.clear();
    }
  }

  /** A try of a node begins: tries are counted over processes, and none is given back (CKPT-19, DUR-8). */
  begins(node: string, attempt: number, limit: number): void {
    const before = this.#tries.get(node) ?? 0;
    if (attempt < before || attempt > before + 1 || attempt > limit)
      this.fault(`${node} is in try ${attempt} of ${limit} after try ${before}`);
    this.#tries.set(node, attempt);
  }

  /** Each message has a value of its own, which tells whether it is the one that was sent. */
  sending(position: number): number {
    const value = ++this.#serial;
    this.#sent.set(value, { position, known: "asked" });
    return value;
  }

  settled(value: number, known: "yes" | "no" | "maybe"): void {
    const sent = this.#sent.get(value);
    if (sent?.known === "asked") sent.known = known;
  }

  /** A writer's try begins with the position of the last message that is there (STR-2). */
  continues(position: number | undefined): void {
    const there = [...this.#sent.values()].filter(({ known }) => known !== "no");
    const sure = there.findLastIndex(({ known }) => known === "yes");
    const allowed = new Set<number | undefined>(there.slice(Math.max(0, sure)).map((each) => each.position));
    if (sure < 0) allowed.add(undefined);
    if (!allowed.has(position))
      this.fault(`the writer goes on from ${position}, not from ${[...allowed].join(" or ")}`);
  }

  group(name: string): GroupModel {
    const found = this.#groups.get(name);
    if (found !== undefined) return found;
    const made: GroupModel = { acknowledged: new Map(), stopped: "no", held: new Map() };
    this.#groups.set(name, made);
    return made;
  }

  /** `last` is what this try of the reader got before, 0 for nothing. */
  delivered(
    at: { stream: string; group: string; reader: string; shared: boolean; last: number },
    sequence: number,
    value: number,
  ): void {
    const group = this.group(`${at.stream} ${at.group}`);
    const name = `${at.group} of ${at.stream}`;
    const known = group.acknowledged.get(sequence);
    if (known === "yes") this.fault(`${name} got ${sequence}, which it has acknowledged`);
    if (known === "maybe") group.acknowledged.set(sequence, "no");
    if (group.stopped === "maybe") group.stopped = "no";
    if (at.shared) {
      for (const [reader, held] of group.held)
        if (held.has(sequence)) this.fault(`${name}: ${at.reader} got ${sequence}, which ${reader} holds`);
    } else {
      if (sequence <= at.last) this.fault(`${name} got ${sequence} after ${at.last}`);
      for (let skipped = at.last + 1; skipped < sequence; skipped++) {
        const said = group.acknowledged.get(skipped);
        if (said !== "yes" && said !== "maybe") this.fault(`${name} got ${sequence} and not ${skipped}`);
        group.acknowledged.set(skipped, "yes");
      }
    }
    this.hold(at, sequence);
    this.is(at.stream, sequence, value);
  }

  hold({ stream, group, reader }: { stream: string; group: string; reader: string }, sequence: number): void {
    const { held } = this.group(`${stream} ${group}`);
    held.set(reader, (held.get(reader) ?? new Set()).add(sequence));
  }

  /** A message is the same for all that get it, and one that was sent. */
  is(stream: string, sequence: number, value: number): void {
    const values = this.#delivered.get(stream) ?? new Map<number, number>();
    this.#delivered.set(stream, values);
    const before = values.get(sequence) ?? value;
    values.set(sequence, value);
    if (before !== value) this.fault(`message ${sequence} of ${stream} is ${value} and ${before}`);
    if (stream === "copies" && value !== copyAt(sequence))
      this.fault(`copy ${sequence} is ${value}, not ${copyAt(sequence)}`);
    if (stream !== "values") return;
    const sent = this.#sent.get(value);
    if (sent === undefined || sent.known === "no") this.fault(`message ${sequence} is ${value}, which was not sent`);
    else if (sent.known === "maybe") sent.known = "yes";
  }

  valueOf(sequence: number): number {
    return this.#delivered.get("values")?.get(sequence) ?? Number.NaN;
  }

  /** A message is handled in its turn, in a try that was not made before, on the state of all before it (STR-15, STR-24). */
  handles(sequence: number, attempt: number, limit: number, state: HandledState): void {
    const { attempt: before, failed } = this.#message;
    if (sequence === this.#handled + 1) {
      if (attempt !== 1) this.fault(`message ${sequence} is first handled in try ${attempt}`);
      this.#handled = sequence;
    } else if (sequence !== this.#handled) this.fault(`message ${sequence} is handled after ${this.#handled}`);
    else if (attempt !== before && !(failed && attempt === before + 1))
      this.fault(`message ${sequence} is in try ${attempt} after ${before}`);
    if (attempt > limit) this.fault(`message ${sequence} is in try ${attempt} of ${limit}`);
    this.#message = { attempt, failed: false };
    let sum = 0;
    for (let each = 1; each < sequence; each++) sum += this.valueOf(each);
    if (state.count !== sequence - 1 || state.sum !== sum)
      this.fault(`message ${sequence} finds ${state.count} messages of ${state.sum}, not of ${sum}`);
  }

  /** At the end, whoever handled them. */
  handledAll(state: HandledState | undefined): void {
    if ((state?.count ?? 0) !== this.#handled)
      this.fault(`the last state is of ${state?.count} messages, not of ${this.#handled}`);
  }

  messageFailed(): void {
    this.#message.failed = true;
  }

  get handled(): number {
    return this.#handled;
  }

  /** What is there when the run has ended as it should: messages in the order in which they were sent, all acknowledged. */
  completed(sent: number): void {
    const values = [...(this.#delivered.get("values") ?? [])].toSorted(([one], [other]) => one - other);
    for (const [at, [sequence, value]] of values.entries())
      if (at > 0 && value <= (values[at - 1]?.[1] ?? 0))
        this.fault(`message ${sequence} was sent before the one before it`);
    const sure = [...this.#sent.values()].filter(({ known }) => known === "yes").length;
    const possible = sure + [...this.#sent.values()].filter(({ known }) => known === "maybe").length;
    if (sent < sure || sent > possible) this.fault(`there are ${sent} messages, and the writer was told of ${sure}`);
  }

  stoppedFor(group: string): boolean {
    return this.group(group).stopped !== "no";
  }
}
