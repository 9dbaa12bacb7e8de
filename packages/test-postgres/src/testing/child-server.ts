import { sharedDatabase, startPostgres } from "../index.ts";

/**
 * A program that is killed, or ends, with servers of its own: `ends` lets it end by itself at once. It prints the process
 * id of one server and the URL of the other.
 */
const [way] = process.argv.slice(2);
const { pid } = await startPostgres();
console.log(JSON.stringify({ pid, url: await sharedDatabase(), inherited: process.env["PULSE_PG_URL"] }));
if (way !== "ends") setInterval(() => undefined, 1_000);
