import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

/** Says which process holds a run (FILE-5). A field that this system cannot tell is empty. */
export interface Holder {
  readonly host: string;
  /** Differs after each start of the system. */
  readonly boot: string;
  /** In which a process id means what it says. */
  readonly namespace: string;
  readonly pid: number;
  /** When the process started, in the system's own form: tells it from a later one with the same id. */
  readonly started: string;
  /** One loaded copy of this package. It alone knows which of its own sessions are open. */
  readonly instance: string;
}

/** What is known of a holder. `unknown` is judged by time alone. */
export type Verdict = "alive" | "dead" | "unknown";

/** Looks at processes of this system. */
export interface ProcessProbe {
  started(pid: number): Promise<Started>;
}

/** When a process started; `gone` when there is none, `undefined` when it cannot be told. */
export type Started = { readonly at: string } | "gone" | undefined;

let own: Promise<Holder> | undefined;

/** This process, as a holder. */
export async function ownHolder(): Promise<Holder> {
  own ??= describeSelf();
  return await own;
}

const instance = randomBytes(8).toString("hex");

async function describeSelf(): Promise<Holder> {
  const [machine, boot, namespace, started] = await Promise.all([
    textFile("/etc/machine-id"),
    bootId(),
    readlink("/proc/self/ns/pid").catch(() => ""),
    systemProbe.started(process.pid),
  ]);
  return {
    host: machine === "" ? hostname() : `${hostname()} ${machine}`,
    boot,
    namespace,
    pid: process.pid,
    started: started === undefined || started === "gone" ? "" : started.at,
    instance,
  };
}

async function bootId(): Promise<string> {
  if (process.platform === "linux") return await textFile("/proc/sys/kernel/random/boot_id");
  if (process.platform === "darwin") return (await outputOf("/usr/sbin/sysctl", ["-n", "kern.bootsessionuuid"])) ?? "";
  return "";
}

/**
 * Judges a holder from where `self` stands. Only what is certain is `dead` or `alive`: a process that started at
 * another time is another one, and one in a namespace or on a host that cannot be seen from here is unknown.
 */
export async function judge(holder: Holder, self: Holder, probe: ProcessProbe = systemProbe): Promise<Verdict> {
  if (holder.boot !== self.boot || holder.boot === "") {
    if (holder.host !== self.host) return "unknown";
    // The same host has been started anew since then, and nothing outlives that.
    if (holder.boot !== "" && self.boot !== "") return "dead";
  }
  if (holder.namespace !== self.namespace) return "unknown";
  const started = await probe.started(holder.pid);
  if (started === "gone") return "dead";
  if (started === undefined || holder.started === "") return "unknown";
  return started.at === holder.started ? "alive" : "dead";
}

/** Reads a holder out of a file's first line; `undefined` when it is none. */
export function readHolder(value: unknown): Holder | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { host, boot, namespace, pid, started, instance: loaded } = value as Partial<Record<keyof Holder, unknown>>;
  if (typeof host !== "string" || typeof boot !== "string" || typeof namespace !== "string") return undefined;
  if (typeof pid !== "number" || typeof started !== "string" || typeof loaded !== "string") return undefined;
  return { host, boot, namespace, pid, started, instance: loaded };
}

/** For messages: enough to find the process. */
export const describeHolder = (holder: Holder): string => `process ${holder.pid} on ${holder.host.split(" ")[0] ?? ""}`;

/** The processes of this system. */
export const systemProbe: ProcessProbe = {
  async started(pid) {
    if (process.platform === "linux") return await startedOnLinux(pid);
    if (!exists(pid)) return "gone";
    const at =
      process.platform === "darwin" ? await outputOf("/bin/ps", ["-o", "lstart=", "-p", String(pid)]) : undefined;
    return at === undefined ? undefined : { at };
  },
};

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and belongs to somebody else.
    return systemCode(error) !== "ESRCH";
  }
}

async function startedOnLinux(pid: number): Promise<Started> {
  let text: string;
  try {
    text = await readFile(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    const code = systemCode(error);
    // /proc may hide the processes of others (hidepid): only a process that no signal reaches is gone.
    return (code === "ENOENT" || code === "ESRCH") && !exists(pid) ? "gone" : undefined;
  }
  // The name stands in parentheses and may itself hold spaces and parentheses.
  const [state, ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if ((state === "Z" || state === "X") && (await onlyThreadLeft(pid))) return "gone";
  // Field 22 of the file is the start in clock ticks since boot; `fields` begins with field 4.
  const at = fields[18];
  return at === undefined ? undefined : { at };
}

/** A killed process that nobody has waited for runs no more, unless a thread of it is still on its way out. */
async function onlyThreadLeft(pid: number): Promise<boolean> {
  try {
    return (await readdir(`/proc/${pid}/task`)).length <= 1;
  } catch {
    return true;
  }
}

async function textFile(path: string): Promise<string> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch {
    return "";
  }
}

async function outputOf(command: string, args: readonly string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(command, args, {
      timeout: commandMs,
      env: { LC_ALL: "C", TZ: "UTC" },
    });
    const text = stdout.trim();
    return text === "" ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Milliseconds that a system command may take before its answer counts as not known. */
const commandMs = 2_000;

function systemCode(error: unknown): unknown {
  return typeof error === "object" && error !== null ? (error as { readonly code?: unknown }).code : undefined;
}
