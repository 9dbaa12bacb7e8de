import { describe, expect, test } from "vitest";
import { compile, compilers, coreModule } from "./testing/compiler.ts";

const head = `import { execution, graph, key, mount, node, optional, run, skipped, type } from ${JSON.stringify(coreModule)};
const url = key("url", type<string>());
const hint = key("hint", type<number>());
const page = key("page", type<{ readonly title: string }>());
const size = key("size", type<number>());
const download = node("download", { requires: [url], provides: [page] }, ({ url }) => ({ page: { title: url } }));
const measure = node("measure", { requires: [page], provides: [size] }, ({ page }) => ({ size: page.title.length }));
const measuring = graph("measuring", { inputs: [page, optional(hint)], outputs: [size], nodes: [measure] });
export { download, execution, graph, hint, measure, measuring, mount, node, page, run, size, skipped, url };
`;

/** Each program has mistakes on the lines that end with a mark; the text after it must be in the error of that line. */
const mistakes: Readonly<Record<string, string>> = {
  "CORE-25 a required key that nobody provides": `
graph("bad", {
  outputs: [size],
  nodes: [
    measure, //! is not assignable to type '"no provider for key: page"'
  ],
});`,
  "CORE-25 two missing keys of two nodes": `
graph("bad", {
  nodes: [
    download, //! is not assignable to type '"no provider for key: url"'
    node("use", { requires: [hint] }, () => {}), //! is not assignable to type '"no provider for key: hint"'
    measure,
  ],
});`,
  "CORE-25 two providers": `
graph("bad", {
  inputs: [url],
  nodes: [
    download, //! is not assignable to type '"two providers for key: page"'
    measure,
    node("again", { provides: [page] }, () => ({ page: { title: "" } })), //! is not assignable to type '"two providers for key: page"'
  ],
});`,
  "CORE-25 an output that nobody provides": `
graph("bad", {
  inputs: [url],
  outputs: [
    page,
    size, //! is not assignable to type '"no provider for key: size"'
  ],
  nodes: [download],
});`,
  "CORE-25 a body whose result does not fit its key": `
node("bad", { provides: [size] }, () => ({
  size: "large", //! Type 'string' is not assignable to type 'number | Settled'
}));`,
  "CORE-25 a body without one of its keys": `
node("bad", { provides: [size, page] },
  () => ({ size: 1 })); //! Property 'page' is missing`,
  "CORE-25 an async body whose result does not fit its key": `
node("bad", { provides: [size] }, async () => { //! Type '{ size: string; }' is not assignable to type '{ readonly size: number | Settled; }'
  await Promise.resolve();
  return { size: "large" };
});`,
  "CORE-25 a mount whose key does not fit its input": `
mount("bad", measuring, {
  in: {
    page: size, //! is not assignable to type '"key \\"size\\" does not fit input: page"'
  },
});`,
  "CORE-25 a mount whose constant does not fit its input": `
mount("bad", measuring, {
  fix: {
    hint: "10", //! Type 'string' is not assignable to type 'number | ConstantFor<"hint">'
  },
});`,
  "CORE-25 a mount without a source for an input": `
graph("bad", {
  outputs: [size],
  nodes: [
    mount("measured", measuring), //! is not assignable to type '"no provider for key: page"'
  ],
});`,
  "CORE-19 a mount that names what its graph does not have": `
mount("bad", measuring, {
  in: {
    pages: page, //! is not assignable to type '"no such input: pages"'
  },
  fix: {
    hints: 1, //! is not assignable to type '"no such input: hints"'
  },
  out: {
    sizes: size, //! is not assignable to type '"no such output: sizes"'
  },
});`,
  "CORE-19 an input with two sources": `
mount("bad", measuring, {
  in: {
    hint: size, //! is not assignable to type '"two sources for input: hint"'
  },
  fix: { hint: 1 },
});`,
  "CORE-25 an execution without an input": `
export const outcome = run(measuring,
  { hint: 1 }); //! Property 'page' is missing`,
  "CORE-25 an execution with an input of a wrong type": `
export const outcome = execution(measuring, {
  page: 1, //! Type 'number' is not assignable to type '{ readonly title: string; }'
});`,
  "CORE-25 an execution with an input that the graph does not have": `
export const outcome = run(measuring, {
  page: { title: "" },
  pages: 1, //! 'pages' does not exist in type
});`,
  "CORE-41 a required input that is skipped": `
export const outcome = run(measuring, {
  page: skipped, //! is not assignable to type '{ readonly title: string; }'
});`,
};

const names = "download, execution, graph, hint, measure, measuring, mount, node, page, run, size, skipped, url";
const files = Object.fromEntries(
  Object.values(mistakes).map((body, index) => [
    `bad-${index}.ts`,
    `import { ${names} } from "./head.ts";\nvoid [${names}];${body}\n`,
  ]),
);

describe.each(compilers)("$name", (compiler) => {
  const { diagnostics } = compile(compiler, { "head.ts": head, ...files });

  test.each(Object.keys(mistakes).map((title, index) => [title, `bad-${index}.ts`] as const))(
    "%s: the error stands there and names it",
    (_title, file) => {
      const found = diagnostics.filter((diagnostic) => diagnostic.file === file);
      const marked = (files[file] as string).split("\n").flatMap((text, index) => {
        const wanted = /\/\/! (.*)$/.exec(text)?.[1];
        return wanted === undefined ? [] : [{ line: index + 1, wanted }];
      });
      expect(marked.length).toBeGreaterThan(0);
      expect(found.map(({ line }) => line)).toEqual(marked.map(({ line }) => line));
      for (const [at, { wanted }] of marked.entries()) expect(found[at]?.text).toContain(wanted);
    },
  );

  test("CORE-25 the sound part of these programs has no error", () => {
    expect(diagnostics.filter(({ file }) => file === "head.ts")).toEqual([]);
  });
});
