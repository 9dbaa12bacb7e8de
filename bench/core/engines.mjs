// One entry an engine: (workload) => a function that runs it once and gives the last node's value.
import { bodyOf, modulus } from "./workloads.mjs";

/** The best code a person would write for that very shape, on bare numbers. */
function handWritten({ name, parents }) {
  const bodies = parents.map(bodyOf);
  if (name.startsWith("chain"))
    return async () => {
      let value = await bodies[0]([]);
      for (let at = 1; at < bodies.length; at++) value = await bodies[at]([value]);
      return value;
    };
  if (name.startsWith("fan"))
    return async () => {
      const source = await bodies[0]([]);
      const middle = [];
      for (let at = 1; at < bodies.length - 1; at++) middle.push(bodies[at]([source]));
      return bodies.at(-1)(await Promise.all(middle));
    };
  const layers = layersOf(parents);
  return async () => {
    const values = [];
    for (const layer of layers)
      await Promise.all(
        layer.map(async (at) => (values[at] = await bodies[at](parents[at].map((from) => values[from])))),
      );
    return values.at(-1);
  };
}

/** The same, by hand, for the very bodies that Pulse runs: objects by key name in and out. */
async function handWrittenSameBodies({ name, parents }) {
  const bodies = await literalBodies(parents);
  const last = `k${parents.length - 1}`;
  if (name.startsWith("chain"))
    return async () => {
      let values = await bodies[0]({});
      for (let at = 1; at < bodies.length; at++) values = await bodies[at](values);
      return values[last];
    };
  const layers = layersOf(parents);
  return async () => {
    const values = {};
    for (const layer of layers)
      for (const result of await Promise.all(layer.map((at) => bodies[at](values)))) Object.assign(values, result);
    return values[last];
  };
}

function layersOf(parents) {
  const layers = [];
  const depth = [];
  parents.forEach((from, at) => {
    depth[at] = from.length === 0 ? 0 : Math.max(...from.map((parent) => depth[parent])) + 1;
    (layers[depth[at]] ??= []).push(at);
  });
  return layers;
}

/** Node bodies as a user types them: literal code, one function a node. */
async function pulseNodes(core, parents) {
  const bodies = await literalBodies(parents);
  const number = core.type("number");
  const keys = parents.map((_, at) => core.key(`k${at}`, number));
  return {
    keys,
    nodes: parents.map((from, at) => {
      const spec = { requires: from.map((parent) => keys[parent]), provides: [keys[at]] };
      return core.node(`n${at}`, spec, bodies[at]);
    }),
  };
}

/** A module of literal code, one body a node, as people write them: not one closure a thousand times. */
async function literalBodies(parents) {
  const source = parents.map((from, at) => {
    const names = from.map((parent) => `k${parent}`);
    if (from.length > 100)
      return `async (values) => { let sum = 0; for (const name of ${JSON.stringify(names)}) sum += values[name]; return { k${at}: sum % ${modulus} }; }`;
    const sum =
      names.length === 0
        ? "1"
        : names.length === 1
          ? `(${names[0]} + 1) % ${modulus}`
          : `(${names.join(" + ")}) % ${modulus}`;
    return `async ({ ${names.join(", ")} }) => ({ k${at}: ${sum} })`;
  });
  const module = `export default [${source.join(",")}];`;
  return (await import(`data:text/javascript;base64,${Buffer.from(module).toString("base64")}`)).default;
}

const pulse =
  (options) =>
  async ({ parents }) => {
    const core = await import("@pulse-ts/core");
    const { keys, nodes } = await pulseNodes(core, parents);
    const last = keys.at(-1);
    const graph = core.graph("bench", { inputs: [], outputs: [last], nodes });
    const given = options(core);
    return async () => (await core.run(graph, {}, given)).values[last.name];
  };

const passing = (core, name) => core.aspect(name, async (_context, next) => await next());

export const engines = {
  "hand-written": async (workload) => handWritten(workload),
  "hand-written, same bodies": handWrittenSameBodies,
  /** One observer and two aspects that await what is inside them. */
  pulse: pulse((core) => {
    let seen = 0;
    return { observers: [() => void seen++], aspects: [passing(core, "first"), passing(core, "second")] };
  }),
  "pulse (bare)": pulse(() => ({})),
  "p-graph": async ({ parents }) => {
    const { PGraph } = await import("p-graph");
    const bodies = parents.map(bodyOf);
    let values = [];
    const nodes = new Map(
      parents.map((from, at) => [
        `n${at}`,
        { run: async () => void (values[at] = await bodies[at](from.map((parent) => values[parent]))) },
      ]),
    );
    const edges = parents.flatMap((from, at) => from.map((parent) => [`n${parent}`, `n${at}`]));
    const graph = new PGraph(nodes, edges);
    return async () => {
      values = [];
      await graph.run();
      return values.at(-1);
    };
  },
  effect: async ({ name, parents }) => {
    const { Effect, Deferred } = await import("effect");
    const bodies = parents.map(bodyOf);
    const call = (at, values) => Effect.promise(() => bodies[at](values));
    if (name.startsWith("chain")) {
      const program = Effect.gen(function* () {
        let value = yield* call(0, []);
        for (let at = 1; at < bodies.length; at++) value = yield* call(at, [value]);
        return value;
      });
      return () => Effect.runPromise(program);
    }
    const program = Effect.gen(function* () {
      const slots = [];
      for (let at = 0; at < bodies.length; at++) slots.push(yield* Deferred.make());
      const node = (at) =>
        Effect.gen(function* () {
          const values = [];
          for (const parent of parents[at]) values.push(yield* Deferred.await(slots[parent]));
          yield* Deferred.succeed(slots[at], yield* call(at, values));
        });
      yield* Effect.all(
        parents.map((_, at) => node(at)),
        { concurrency: "unbounded", discard: true },
      );
      return yield* Deferred.await(slots.at(-1));
    });
    return () => Effect.runPromise(program);
  },
  rxjs: async ({ parents }) => {
    const { defer, forkJoin, from, lastValueFrom, mergeMap, shareReplay } = await import("rxjs");
    const bodies = parents.map(bodyOf);
    return () => {
      const nodes = [];
      parents.forEach((needs, at) => {
        const source =
          needs.length === 0
            ? defer(() => bodies[at]([]))
            : forkJoin(needs.map((parent) => nodes[parent])).pipe(mergeMap((values) => from(bodies[at](values))));
        nodes[at] = source.pipe(shareReplay(1));
      });
      return lastValueFrom(nodes.at(-1));
    };
  },
};
