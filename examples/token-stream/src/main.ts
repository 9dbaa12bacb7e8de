import { parseArgs } from "node:util";
import { generateText } from "./generate.ts";
import { storeAt } from "./store-at.ts";

const help = `Streams the tokens of an answer to your terminal, and keeps them all.

  node dist/main.js "a prompt" [options]

  --stop-after N    stop watching after N tokens; the whole text is kept all the same
  --store PLACE     file:./folder (default file:.pulse/tokens), sqlite:./runs.db, postgres://…
  --run-id ID       default: tokens
  --help            this page

Kill it and give the same command again: it goes on after the last token that was confirmed.
`;

async function main(words: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        "stop-after": { type: "string" },
        store: { type: "string", default: "file:.pulse/tokens" },
        "run-id": { type: "string", default: "tokens" },
        help: { type: "boolean", short: "h", default: false },
      },
    });
    const [prompt] = positionals;
    if (values.help || prompt === undefined) {
      process.stdout.write(help);
      return values.help ? 0 : 2;
    }
    const stopAfter = Number(values["stop-after"] ?? Infinity);
    if (!(stopAfter > 0)) throw new RangeError(`--stop-after ${values["stop-after"]}: give a number above 0`);
    const show = (token: string): void => void process.stdout.write(token);
    const store = await storeAt(values.store);
    const text = await generateText({ store, prompt, runId: values["run-id"], show, stopAfter });
    process.stdout.write(`\n\nkept: ${text.length} characters\n`);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
