import { randomBytes } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exists, give, programOf, runFolder, serverUser } from "./binaries.ts";
import type { Keeper } from "./keeper.ts";

const templateName = "template";

/** A fresh cluster: its data folder, and the password of its superuser `postgres`. */
export interface Cluster {
  readonly data: string;
  readonly password: string;
}

/** Makes the data of a server in `folder`: a copy of this run's template if there is one, else by initdb. */
export async function makeCluster(keeper: Keeper, native: string, folder: string): Promise<Cluster> {
  const template = join(runFolder(), templateName);
  if (runFolder() !== "" && (await exists(template))) return copyCluster(template, folder);
  // Whoever is on this machine could otherwise run programs as the user of these tests.
  const password = randomBytes(16).toString("hex");
  const passwordFile = join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  await give(passwordFile);
  const data = join(folder, "data");
  const args = ["-D", data, "-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`];
  args.push("-E", "UTF8", "--locale=C", "--no-sync");
  await keeper.run({ command: programOf(native, "initdb"), args, cwd: folder, ...user() });
  return { data, password };
}

/** Keeps a copy of the cluster in `folder`, whose server does not run yet, for other processes of this run. */
export async function keepTemplate(folder: string): Promise<void> {
  await mkdir(join(folder, templateName), { mode: 0o700 });
  await copyCluster(folder, join(folder, templateName));
}

async function copyCluster(from: string, folder: string): Promise<Cluster> {
  const data = join(folder, "data");
  const passwordFile = join(folder, "password");
  await cp(join(from, "data"), data, { recursive: true });
  await cp(join(from, "password"), passwordFile);
  for (const path of [data, passwordFile]) await give(path);
  return { data, password: await readFile(passwordFile, "utf8") };
}

/** The user that the server runs as, for a program's options. */
export function user(): { readonly uid?: number } {
  return serverUser === undefined ? {} : { uid: serverUser };
}
