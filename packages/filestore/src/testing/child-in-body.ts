import { appendFileSync } from "node:fs";
import { graph, isPulseError, key, node, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { fileStore } from "../open.ts";

/**
 * A process whose second node ends it with SIGKILL, unless it is told to live. Each body is noted in a file before it goes
 * on; what the run came to is printed.
 */
const [folder = "", notes = "", way = "resume", maxResumes = "", lives = ""] = process.argv.slice(2);

const first = key("first", type<number>());
const second = key("second", type<number>());
const deadly = graph("deadly", {
  outputs: [second],
  nodes: [
    node("first", { provides: [first] }, () => {
      appendFileSync(notes, "first\n");
      return { first: 1 };
    }),
    node("second", { requires: [first], provides: [second] }, ({ first }) => {
      appendFileSync(notes, "second\n");
      if (lives !== "lives") {
        process.kill(process.pid, "SIGKILL");
        // The signal ends the process before it is handed to another thread or not: nothing may go on meanwhile.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      }
      return { second: first + 1 };
    }),
  ],
});

const options = { runId: "run", version: "1", ...(maxResumes === "" ? {} : { maxResumes: Number(maxResumes) }) };
const pulse = durable({ store: fileStore({ folder }) });
try {
  const { values } = await (way === "run" ? pulse.run(deadly, {}, options) : pulse.resume(deadly, {}, options));
  console.log(JSON.stringify({ values }));
} catch (error) {
  if (!isPulseError(error)) throw error;
  console.log(JSON.stringify({ code: error.code, details: error.details }));
}
await pulse.close();
