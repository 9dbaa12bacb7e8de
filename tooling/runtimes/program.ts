// The program that every runtime runs: a mounted graph whose node fails once and is retried under a timeout.
import { graph, key, mount, node, retry, run, timeout, type } from "@pulse-ts/core";

const word = key("word", type<string>());
const loud = key("loud", type<string>());
const result = key("result", type<string>());

let tries = 0;

const shout = node(
  "shout",
  { requires: [word], provides: [loud], aspects: [retry({ limit: 3 }), timeout(10_000)] },
  async ({ word: quiet }, { attempt }) => {
    tries += 1;
    if (attempt === 1) throw new Error("the first try fails");
    return { loud: await Promise.resolve(`${quiet.toUpperCase()}!`) };
  },
);
const inner = graph("inner", { inputs: [word], outputs: [loud], nodes: [shout] });

const finish = node("finish", { requires: [loud], provides: [result] }, ({ loud: text }) => ({
  result: `${text} ${tries}`,
}));
const outer = graph("outer", { inputs: [word], outputs: [result], nodes: [mount("inner", inner), finish] });

const outcome = await run(outer, { word: "pulse" });

/** `PULSE! 2` where everything works. A browser's page reads it from `globalThis`; the others print it. */
Object.assign(globalThis, { smoke: outcome.values.result });
console.log(outcome.values.result);
