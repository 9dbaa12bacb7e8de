// A process of its own for the kill test: node token-child.ts <store> <stop after>. Tells each token before it acknowledges it.
import { writeSync } from "node:fs";
import { generateText } from "../generate.ts";
import { storeAt } from "../store-at.ts";

const [, , place = "", stopAfter = ""] = process.argv;
const tell = (event: unknown): void => void writeSync(1, `${JSON.stringify(event)}\n`);
const text = await generateText({
  store: await storeAt(place),
  prompt: "what must not be lost",
  runId: "tokens",
  show: (token, sequence) => tell({ kind: "token", token, sequence }),
  stopAfter: Number(stopAfter),
});
tell({ kind: "done", text });
