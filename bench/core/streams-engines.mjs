// One entry an engine: (groups, messages, take) => a function that sends the numbers 0 … messages - 1 to every group once, with
// at most `capacity` messages that some group has not dealt with, and calls `take` for each message of each group.

export const capacity = 64;

/** The best bounded channel that a person would write for it: one buffer a group, a promise only where one must wait. */
class Channel {
  buffer = [];
  head = 0;
  unacknowledged = 0;
  ended = false;
  wakeReader = undefined;
  wakeWriter = undefined;

  get full() {
    return this.unacknowledged === capacity;
  }

  push(value) {
    this.buffer.push(value);
    this.unacknowledged++;
    this.wakeReader?.();
    this.wakeReader = undefined;
  }

  async receive() {
    while (this.head === this.buffer.length) {
      if (this.ended) return undefined;
      await new Promise((resolve) => (this.wakeReader = resolve));
    }
    const value = this.buffer[this.head++];
    if (this.head === 1024) {
      this.buffer = this.buffer.slice(this.head);
      this.head = 0;
    }
    return { value };
  }

  acknowledge() {
    this.unacknowledged--;
    this.wakeWriter?.();
    this.wakeWriter = undefined;
  }

  end() {
    this.ended = true;
    this.wakeReader?.();
  }
}

const pulse = (loop) => async (groups, messages, take) => {
  const { graph, node, run, type } = await import("@pulse-ts/core");
  const { stream } = await import("@pulse-ts/core/streams");
  const numbers = stream("numbers", type(), { capacity });
  const write = node("write", { provides: [numbers] }, async (_values, { open }) => {
    const writer = await open(numbers);
    for (let value = 0; value < messages; value++) await writer.send(value);
  });
  const readers = Array.from({ length: groups }, (_, at) =>
    node(`read${at}`, { requires: [numbers] }, ({ numbers: reader }) => loop(reader, take)),
  );
  const made = graph("bench", { nodes: [write, ...readers] });
  return () => run(made, {});
};

export const streamEngines = {
  "hand-written channel": async (groups, messages, take) => async () => {
    const channels = Array.from({ length: groups }, () => new Channel());
    const write = async () => {
      for (let value = 0; value < messages; value++) {
        for (const channel of channels)
          while (channel.full) await new Promise((resolve) => (channel.wakeWriter = resolve));
        for (const channel of channels) channel.push(value);
      }
      for (const channel of channels) channel.end();
    };
    const read = async (channel) => {
      for (let got = await channel.receive(); got !== undefined; got = await channel.receive()) {
        take(got.value);
        channel.acknowledge();
      }
    };
    await Promise.all([write(), ...channels.map(read)]);
  },
  "pulse (receive)": pulse(async (reader, take) => {
    for (let got = await reader.receive(); got !== undefined; got = await reader.receive()) {
      take(got.value);
      await got.ack();
    }
  }),
  "pulse (for await)": pulse(async (reader, take) => {
    for await (const delivery of reader) {
      take(delivery.value);
      await delivery.ack();
    }
  }),
  /** `tee` for the groups: it has no account of the slowest, so only one group is the same work. */
  "web streams": async (groups, messages, take) => async () => {
    let next = 0;
    const source = new ReadableStream(
      {
        pull(controller) {
          if (next === messages) controller.close();
          else controller.enqueue(next++);
        },
      },
      { highWaterMark: capacity },
    );
    const branches = [source];
    while (branches.length < groups) branches.push(...branches.shift().tee());
    const read = async (branch) => {
      const reader = branch.getReader();
      for (let got = await reader.read(); !got.done; got = await reader.read()) take(got.value);
    };
    await Promise.all(branches.map(read));
  },
};
