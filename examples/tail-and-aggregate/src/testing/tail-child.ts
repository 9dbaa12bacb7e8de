// A process of its own for the kill test: node tail-child.ts <folder> <store>. Tells each thing it sees, a line of JSON each,
// before it goes on: what it had told when it was killed has happened.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { readCommand } from "../command-line.ts";
import { runJob } from "../run/job.ts";

const [, , folder = "", store = ""] = process.argv;
const command = readCommand([
  join(folder, "access.log"),
  "--store",
  store,
  "--out",
  join(folder, "out"),
  "--run-id",
  "tail",
]);
if (command.kind === "help") throw new Error("the words of this test ask for no help");
const tell = (event: unknown): void => void writeSync(1, `${JSON.stringify(event)}\n`);
const { signal } = new AbortController();
const { result } = await runJob({ command, workingFolder: folder, signal, see: tell, linesMax: 3 });
tell({ kind: "done", result });
