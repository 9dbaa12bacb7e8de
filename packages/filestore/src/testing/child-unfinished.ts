import { fileStore } from "../open.ts";

/** A program that owns a run and then waits for what never comes: Node ends it with the exit code 13. */
const [folder = ""] = process.argv.slice(2);
await fileStore({ folder }).acquire("run");
await new Promise(() => {});
