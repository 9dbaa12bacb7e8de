// One process of a resume workload: node resume-child.mjs write|resume|load FOLDER SIZE KILL_AT
// `write` and `resume` end by SIGKILL inside the body at KILL_AT. Marks are milliseconds since the process began.
import { writeSync } from "node:fs";
import { durable } from "@pulse-ts/durable";
import { fileStore } from "@pulse-ts/filestore";
import { chainOf } from "./graphs.mjs";

const marks = { imported: performance.now() };
const [, , doing, folder, size, killAt] = process.argv;

if (doing === "load") {
  const session = await fileStore({ folder }).acquire("run");
  const begin = performance.now();
  const { nodes } = await session.load();
  tell({ loadMs: performance.now() - begin, nodes: nodes.size });
  await session.close();
} else {
  const enter = (at) => {
    if (at !== Number(killAt)) return;
    marks.body = performance.now();
    tell({ marks, origin: performance.timeOrigin, maxRssMib: process.resourceUsage().maxRSS / 1024 });
    process.kill(process.pid, "SIGKILL");
  };
  const built = chainOf(Number(size), { enter });
  marks.built = performance.now();
  const store = watched(fileStore({ folder }));
  await durable({ store }).runOrResume(built, {}, { runId: "run", version: "1", observers: [onEvent] });
}

/** Tells when the record was asked for and when it was there. */
function watched(store) {
  return {
    async acquire(runId, options) {
      marks.prepared = performance.now();
      const session = await store.acquire(runId, options);
      const { load } = session;
      session.load = async (call) => {
        const record = await load.call(session, call);
        marks.loaded = performance.now();
        return record;
      };
      return session;
    },
  };
}

function onEvent({ kind }) {
  if (kind === "run-resumed") marks.checked = performance.now();
}

function tell(result) {
  // Synchronous: the process may end in the next step.
  writeSync(1, `${JSON.stringify(result)}\n`);
}
