import { describe, expect, test } from "vitest";
import { compile, compilers, coreModule } from "./testing/compiler.ts";

const perNodeMax = 200;
const types = ["number", "string", "boolean", "{ readonly a: number }", "readonly string[]"];
const values = ["1", `"s"`, "true", "{ a: 1 }", `["x"]`];

/** The same numbers on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1664525 + 1013904223) >>> 0) / 2 ** 32;
}

/**
 * A program of `size` nodes as users write them: a key of its own type each, up to three keys required of the forty nodes
 * before, one in three of them optional, sync and async bodies that use each value by its type, aspects, one graph.
 */
function program(size: number): string {
  const random = randomFrom(7);
  const indexes = Array.from({ length: size }, (_value, index) => index);
  const typeOf = (index: number): string => types[index % types.length] as string;
  const keys = indexes.map((index) => `const k${index} = key("k${index}", type<${typeOf(index)}>());`);
  const nodes = indexes.map((index) => {
    const needs = new Set<number>();
    while (needs.size < Math.min(index, 3))
      needs.add(Math.max(0, index - 1 - Math.floor(random() * Math.min(index, 40))));
    const reads = [...needs].map((need, at) => ({ need, optional: at === 2 }));
    const requires = reads.map(({ need, optional }) => (optional ? `optional(k${need})` : `k${need}`)).join(", ");
    const aspects = index % 4 === 0 ? ", aspects: [retry({ limit: 3 }), timeout(5_000)]" : "";
    const uses = reads.map(
      ({ need, optional }) => `const v${need}: ${typeOf(need)}${optional ? " | undefined" : ""} = values.k${need};`,
    );
    const used = reads.map(({ need }) => `void v${need};`);
    return [
      `const n${index} = node("n${index}", { requires: [${requires}], provides: [k${index}]${aspects} },`,
      `  ${index % 2 === 0 ? "" : "async "}(${reads.length === 0 ? "" : "values"}) => {`,
      `    ${[...uses, ...used].join(" ")}`,
      `    return { k${index}: ${values[index % values.length] as string} }; });`,
    ].join("\n");
  });
  return [
    `import { graph, key, node, optional, retry, timeout, type } from ${JSON.stringify(coreModule)};`,
    ...keys,
    ...nodes,
    `export const g = graph("g", { outputs: [k${size - 1}], nodes: [${indexes.map((index) => `n${index}`).join(",\n")}] });`,
  ].join("\n");
}

/**
 * What is counted is all that the compiler instantiates for the whole program. The part that does not depend on its size
 * (the package's own declarations and the compiler's library, some 6,000 to 12,000) is in the number at 500 as well.
 */
describe.each(compilers)("$name", (compiler) => {
  test(`CORE-49 the checks cost at most ${perNodeMax} instantiations a node at 500 nodes, and the same for each further one up to 1,000`, () => {
    const [at500, at1000] = [500, 1000].map((size) => {
      const { diagnostics, instantiations } = compile(compiler, { "program.ts": program(size) });
      expect(diagnostics).toEqual([]);
      return instantiations;
    }) as [number, number];
    const perNode = at500 / 500;
    const perFurtherNode = (at1000 - at500) / 500;
    console.log(
      `${compiler.name}: ${at500} instantiations at 500 nodes (${perNode} a node), ${perFurtherNode} for each further node`,
    );
    expect(perNode).toBeLessThanOrEqual(perNodeMax);
    expect(perFurtherNode).toBeLessThanOrEqual(perNode);
  }, 600_000);

  test("CORE-49 a missing provider is still found among 1,000 nodes", () => {
    const text = program(1000).replace("\nn500,", "");
    const { diagnostics } = compile(compiler, { "program.ts": text });
    expect(diagnostics.length).toBeGreaterThan(0);
    for (const { text: said } of diagnostics) expect(said).toContain(`'"no provider for key: k500"'`);
  }, 600_000);
});
