// The results as tables in Markdown; each aim stands beside its figure.
import { parts } from "./resume.mjs";
import { shown } from "./spread.mjs";
import { bytesAim, growthAim, memoryAim, resumes, throughput } from "./workloads.mjs";

const aim = (text, limit) => (limit === undefined ? text : `${text} (aim: ${limit})`);
const row = (...cells) => `| ${cells.join(" | ")} |`;
const table = (head, rows) => [row(...head), row(...head.map(() => "---")), ...rows].join("\n");
const named = (list, name) => list.find((each) => each.name === name);

export function throughputTable(results) {
  const head = [
    "workload",
    "nodes",
    "ratio to raw append + fdatasync a save",
    "ms a node",
    "nodes a save",
    "bytes stored a node",
    "in memory: µs a node",
    "peak memory, MiB",
  ];
  return table(
    head,
    results.map((result) => {
      const { aim: most, nodesAim, bytes, shape } = named(throughput, result.name);
      const small = shape === "chain" && bytes === undefined && result.nodes >= 1000;
      return row(
        result.name,
        result.nodes,
        aim(shown(result.ratio), most),
        shown(result.msANode, 3),
        aim(result.nodesASave.toFixed(1), nodesAim === undefined ? undefined : `at least ${nodesAim}`),
        aim(result.bytesANode.toFixed(0), small ? bytesAim : undefined),
        aim(shown(result.memoryUs, 1), small ? memoryAim : undefined),
        result.maxRssMib.toFixed(0),
      );
    }),
  );
}

/** What a node costs in a long run beside one in a short run; both as ratios to the raw medium of their own rounds. */
export function growthTable(results) {
  const [short, long] = ["chain-1000", "chain-100000"].map((name) => named(results, name));
  if (short === undefined || long === undefined) return undefined;
  const times = (pick) => `${(pick(long) / pick(short)).toFixed(2)} (aim: ${growthAim})`;
  return table(
    ["a node of 100,000 to one of 1,000", "ratio"],
    [
      row(
        "on files, beside the raw medium",
        times(({ ratio }) => ratio.median),
      ),
      row(
        "in memory",
        times(({ memoryUs }) => memoryUs.median),
      ),
      row(
        "bytes stored",
        times(({ bytesANode }) => bytesANode),
      ),
    ],
  );
}

export function resumeTable(results) {
  const head = [
    "workload",
    "process start to first body, ms",
    "reading the files, ms",
    "loading the record, ms",
    "first body less loading, ms",
    "start and imports",
    "graph",
    "prepare",
    "acquire and load",
    "checks",
    "to the first body",
    "peak memory, MiB",
  ];
  return table(
    head,
    results.map((result) =>
      row(
        result.name,
        shown(result.bodyMs, 0),
        shown(result.filesMs, 1),
        shown(result.loadMs, 0),
        aim(shown(result.aboveLoadMs, 0), named(resumes, result.name).aimMs),
        ...parts.map((part) => result.split[part].median.toFixed(0)),
        shown(result.maxRssMib, 0),
      ),
    ),
  );
}
