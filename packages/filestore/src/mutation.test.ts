import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { graph, isPulseError, key, mount, node, retry, type } from "@pulse-ts/core";
import { durable } from "@pulse-ts/durable";
import { expect, test } from "vitest";
import { openFileStore } from "./open.ts";
import type { FileStoreOptions } from "./open.ts";
import { byteMutators } from "./testing/mutated-bytes.ts";
import { everythingIn, fakeProcesses, openPlace } from "./testing/place.ts";
import type { Place } from "./testing/place.ts";
import { stillPlatform } from "./testing/still-platform.ts";
import { seeded } from "./testing/random.ts";

/** How many damaged folders; `PULSE_MUTATIONS=20000` is for people. */
const count = Number(process.env["PULSE_MUTATIONS"] ?? 120);
const seed = Number(process.env["PULSE_SEED"] ?? 2_001);
/** What a run of this graph may take at the very most. */
const callsMax = 20;

const refusals: readonly string[] = ["PULSE_CORRUPT", "PULSE_NEWER_FORMAT", "PULSE_INCOMPATIBLE"];
const call = { runId: "run", version: "1" };
const number = <const Name extends string>(name: Name) => key(name, type<number>("number"));
const text = <const Name extends string>(name: Name) => key(name, type<string>("text"));
const [start, tried, total] = [number("start"), number("tried"), number("total")];
const [given, big, bigger] = [number("given"), text("big"), text("bigger")];

/** A retry, a mount, and values that are contents. `body` is told of each body, and may hold it. */
function damagedGraph(body: (path: string) => void | Promise<void>) {
  const child = graph("child", {
    inputs: [given],
    outputs: [bigger],
    nodes: [
      node("grow", { requires: [given], provides: [big] }, async ({ given }, { path }) => {
        await body(path);
        return { big: `${given}`.repeat(200) };
      }),
      node("more", { requires: [big], provides: [bigger] }, async ({ big }, { path }) => {
        await body(path);
        return { bigger: big + big };
      }),
    ],
  });
  return graph("damaged", {
    inputs: [start],
    outputs: [total],
    nodes: [
      node(
        "try",
        { requires: [start], provides: [tried], aspects: [retry({ limit: 3 })] },
        async ({ start }, { path, attempt }) => {
          await body(path);
          if (attempt === 1) throw new Error("the first try fails");
          return { tried: start + attempt };
        },
      ),
      mount("child", child, { in: { given: tried } }),
      node("sum", { requires: [bigger, tried], provides: [total] }, async ({ bigger, tried }, { path }) => {
        await body(path);
        return { total: bigger.length + tried };
      }),
    ],
  });
}

/** A folder whose owner died, or closed the run, when it came to this body; or that holds a completed run. */
interface Template {
  readonly name: string;
  readonly place: Place;
  readonly options: Omit<FileStoreOptions, "folder">;
  readonly processes: ReturnType<typeof fakeProcesses>;
}

async function templateOf(
  until: string,
  end: "killed" | "closed",
  foldBytesMin: number,
  roomFrom?: number,
): Promise<Template> {
  await using living = await openPlace();
  const place = await openPlace();
  const processes = fakeProcesses();
  const options = { foldBytesMin, contentBytesMin: 256 };
  const { platform, hold, goOn } = stillPlatform();
  const parts = { ...processes.parts(1), platform, ...(roomFrom === undefined ? {} : { roomFrom }) };
  const pulse = durable({ store: openFileStore({ ...living, ...options }, parts) });
  const name = `${end} at ${until}, folded from ${foldBytesMin}${roomFrom === undefined ? "" : ", with room"}`;
  await new Promise<void>((resolve, reject) => {
    const held = damagedGraph((path) => {
      if (path !== until) return undefined;
      resolve();
      return new Promise(() => {});
    });
    pulse.run(held, { start: 5 }, { ...call, drainTimeout: 0 }).then(() => resolve(), reject);
  });
  // What a killed process leaves is what is there now, whatever becomes of the original.
  if (end === "closed") await pulse.close();
  await hold();
  await cp(living.folder, place.folder, { recursive: true });
  goOn();
  await pulse.close();
  processes.kill(1);
  return { name, place, options, processes };
}

/** How a resume on a copy of the folder ends, in a few words; and whether it did something although it was refused. */
async function resumeOf(
  { options, processes }: Template,
  folder: string,
  pid: number,
  verify: boolean,
): Promise<string> {
  const store = openFileStore({ folder, ...options }, processes.parts(pid));
  let calls = 0;
  const counted = damagedGraph(() => {
    if ((calls += 1) > callsMax) throw new Error("it does not end");
  });
  const before = await everythingIn(join(folder, "runs"));
  try {
    const { values } = await durable({ store }).resume(
      counted,
      { start: 5 },
      verify ? { ...call, verify: "all" } : call,
    );
    return JSON.stringify(values);
  } catch (error) {
    if (!isPulseError(error)) return `threw ${String(error)}`;
    const { cause } = error;
    // A content that only a child needs is read when its scope is opened (DUR-15); what was saved until then stays whole.
    const late = error.code === "PULSE_CHECKPOINT" && !verify && isPulseError(cause, "PULSE_CORRUPT");
    if (late) return cause.details.where.includes("contents") ? "PULSE_CORRUPT" : `late: ${error.message}`;
    if (error.code === "PULSE_NOT_FOUND") return error.code;
    if (!refusals.includes(error.code)) return `threw ${error.code}: ${error.message}`;
    const after = await everythingIn(join(folder, "runs"));
    // Where the record is whole and a content is not, its new owner has left a line that it was there.
    const whole = isPulseError(error, "PULSE_CORRUPT") && error.details.where.includes("contents");
    const same = whole
      ? Object.keys(before).every((path) => after[path] === before[path])
      : isDeepStrictEqual(after, before);
    return calls > 0 || !same ? `${error.code}, but something was done` : error.code;
  }
}

test(
  `FILE-2 REC-18 damaged folders are refused by file and line, or the run ends right (seed ${seed})`,
  async () => {
    const templates: Template[] = [];
    for (const until of ["try", "child/grow", "child/more", "sum"]) {
      for (const [end, fold] of [
        ["killed", 65_536],
        ["closed", 65_536],
        ["killed", 500],
      ] as const) {
        // Zeros behind the last line are damaged as well.
        templates.push(await templateOf(until, end, fold, fold === 500 ? 0 : undefined));
      }
    }
    templates.push(await templateOf("the end", "closed", 65_536));
    const right = JSON.stringify({ total: 407 });
    const tally: Record<string, number> = {};
    const wrong: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const random = seeded(seed + at);
      const template = random.pick(templates);
      await using copy = await openPlace();
      await cp(template.place.folder, copy.folder, { recursive: true });
      const files = Object.entries(await everythingIn(copy.folder)).filter(
        ([path, bytes]) => bytes !== "folder" && !path.includes("locks") && !path.endsWith("pulse-filestore"),
      );
      const [path] = random.pick(files);
      const [otherPath] = random.pick(files);
      const name = random.pick(Object.keys(byteMutators));
      const bytes = await readFile(path);
      const damaged = byteMutators[name]?.(bytes, random, await readFile(otherPath)) ?? bytes;
      await writeFile(path, damaged);
      const end = await resumeOf(template, copy.folder, 2 + at, random.below(2) === 0);
      // Of a run whose first save is cut off nothing was ever confirmed.
      const lost = end === "PULSE_NOT_FOUND" && damaged.length < bytes.length;
      const kind =
        end === right ? "right" : /^PULSE_(CORRUPT|NEWER_FORMAT|INCOMPATIBLE)$/.test(end) || lost ? end : "wrong";
      tally[kind] = (tally[kind] ?? 0) + 1;
      if (kind === "wrong") {
        wrong.push(`PULSE_SEED=${seed + at} ${template.name}: ${name} ${path.slice(copy.folder.length)}: ${end}`);
      }
    }
    for (const { place } of templates) await place[Symbol.asyncDispose]();
    console.info(`damaged folders: ${count} from seed ${seed}: ${JSON.stringify(tally)}`);
    expect(wrong).toStrictEqual([]);
    expect(tally["PULSE_CORRUPT"]).toBeGreaterThan(count / 3);
    expect(tally["right"]).toBeGreaterThan(count / 20);
  },
  60_000 + count * 3_000,
);
