import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { bundle } from "../size/bundle.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const bins = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));

/** What {@link smokeBundle} prints where graph, mount, retry and timeout work. */
export const expected = "PULSE! 2";

/** The smoke program and core in one module without any import. */
export function smokeBundle(): Promise<string> {
  return bundle(readFileSync(join(here, "program.ts"), "utf8"), here, "ts");
}

/** What the bundle prints under Bun or Deno. Deno gets no permission at all. */
export async function runWith(runtime: "bun" | "deno", code: string, folder: string): Promise<string> {
  const file = join(folder, "smoke.mjs");
  writeFileSync(file, code);
  const args = runtime === "deno" ? ["run", "--no-config", "--no-lock", "--no-remote", file] : ["run", file];
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: "1", DENO_DIR: join(folder, "deno"), NO_COLOR: "1" };
  const { stdout } = await promisify(execFile)(join(bins, runtime), args, { cwd: folder, env });
  return stdout.trim();
}

const chromiumNames = ["chromium", "chromium-browser", "google-chrome"];

/** The first Chromium on the PATH, or the one that `CHROMIUM` names. */
export function findChromium(env: NodeJS.ProcessEnv): string | undefined {
  const named = env["CHROMIUM"];
  if (named !== undefined && named !== "") return existsSync(named) ? named : undefined;
  return (env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => chromiumNames.map((name) => join(folder, name)))
    .find((file) => existsSync(file));
}

/** What the bundle leaves in `globalThis.smoke` of an empty page. */
export async function runInChromium(executablePath: string, code: string): Promise<unknown> {
  const args = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    const failed = new Promise<never>((_, reject) => page.once("pageerror", reject));
    await page.setContent("<!doctype html><title>smoke</title>");
    await page.addScriptTag({ type: "module", content: code });
    const found = page.waitForFunction("globalThis.smoke").then((handle) => handle.jsonValue());
    return await Promise.race([found, failed]);
  } finally {
    await browser.close();
  }
}
