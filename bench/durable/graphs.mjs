// The graphs of the durable workloads: each node gives one value of a given size.
import { graph, key, node, type } from "@pulse-ts/core";

export const kibibyte = 1024;
export const mebibyte = 1024 * 1024;

const text = type("text");

/** `length` nodes, each after the one before. `enter(index)` is called first in each body. */
export function chainOf(length, { bytes = kibibyte, enter = () => {} } = {}) {
  const value = "x".repeat(bytes);
  const keys = keysOf(length);
  const nodes = keys.map((own, at) =>
    node(`n${at}`, { requires: at === 0 ? [] : [keys[at - 1]], provides: [own] }, () => {
      enter(at);
      return { [own.name]: value };
    }),
  );
  return graph(`chain-${length}`, { inputs: [], outputs: [keys.at(-1)], nodes });
}

/** `width` nodes that wait for nothing, and one that waits for all of them. */
export function fanOf(width, { bytes = kibibyte } = {}) {
  const value = "x".repeat(bytes);
  const keys = keysOf(width);
  const joined = key("joined", type("count"));
  const nodes = keys.map((own, at) => node(`n${at}`, { provides: [own] }, () => ({ [own.name]: value })));
  const join = node("join", { requires: keys, provides: [joined] }, (values) => ({
    joined: keys.reduce((sum, { name }) => sum + values[name].length, 0),
  }));
  return graph(`fan-${width}`, { inputs: [], outputs: [joined], nodes: [...nodes, join] });
}

function keysOf(count) {
  return Array.from({ length: count }, (_, at) => key(`k${at}`, text));
}
