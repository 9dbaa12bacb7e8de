import { runProgram } from "./testing/stream-program.ts";
let last = 0;
process.on("exit", (c) => console.log("exit", c, last));
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const b = cpu();
let bad = 0;
const done: Record<string, number> = {};
const [from, count] = [Number(process.argv[2]), Number(process.argv[3])];
for (let s = from; s < from + count; s++) {
  last = s;
  const r = await runProgram(s);
  for (const [w, c] of [...Object.entries(r.done), [r.outcome, 1] as const]) done[w] = (done[w] ?? 0) + c;
  if (r.faults.length > 0 && bad++ < 5) console.log(r.faults.slice(0, 6));
}
console.log(bad, "bad", (cpu() - b) / count, "us/program", done);
