// Durable runs on local files beside the raw append + fdatasync of the same bytes, measured in turn in the same process.
// Progress is told on stderr, the tables are written to stdout.
import { growthTable, resumeTable, throughputTable } from "./markdown.mjs";
import { runScript } from "./processes.mjs";
import { measureResume } from "./resume.mjs";
import { resumes, throughput } from "./workloads.mjs";

/**
 * `seconds`: how long rounds of one workload are repeated; a round that takes longer runs once. `workload`: only the one
 * of this name, or those whose names begin so. `json`: the figures as JSON in place of the tables.
 */
export async function durableTable({ seconds, workload = "", json = false }) {
  const exact = [...throughput, ...resumes].some(({ name }) => name === workload);
  const chosen = ({ name }) => (exact ? name === workload : name.startsWith(workload));
  const results = { throughput: [], resume: [] };
  for (const each of throughput.filter(chosen)) {
    progress(each.name);
    results.throughput.push(await runScript("throughput-child.mjs", [each.name, seconds]));
  }
  for (const each of resumes.filter(chosen)) {
    progress(each.name);
    results.resume.push(await measureResume(each, { seconds }));
  }
  if (json) return console.log(JSON.stringify(results, undefined, 2));
  const print = (title, text) => text !== undefined && console.log(`\n${title}\n\n${text}`);
  const { throughput: runs, resume } = results;
  print(
    "Durable: values of 1 KiB on local files; medians of rounds (10th-90th percentile)",
    runs.length === 0 ? undefined : throughputTable(runs),
  );
  print("Durable: long runs beside short ones", growthTable(runs));
  print(
    "Durable: resume in a fresh process after SIGKILL in a body",
    resume.length === 0 ? undefined : resumeTable(resume),
  );
}

function progress(name) {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${name}\n`);
}
