/** Below this many taken entries the queue is not worth moving up. */
const compactFrom = 64;

/** First in, first out, without moving what waits each time. */
export class Queue<Entry> {
  private items: (Entry | undefined)[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(entry: Entry): void {
    this.items.push(entry);
  }

  /** The entry so many places behind the first. */
  at(index: number): Entry {
    return this.items[this.head + index] as Entry;
  }

  /** Takes the first `count` entries out. */
  drop(count: number): void {
    for (let left = count; left > 0; left--) this.items[this.head++] = undefined;
    if (this.head === this.items.length) {
      this.items.length = 0;
      this.head = 0;
    } else if (this.head >= compactFrom && this.head * 2 >= this.items.length) {
      this.items.copyWithin(0, this.head);
      this.items.length -= this.head;
      this.head = 0;
    }
  }
}
