import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** What tsc makes of `src/a.ts`, and of `src/a.mts`. */
const builtFrom = /^(.+?)(?:\.d)?\.([cm]?)[jt]s(?:\.map)?$/;

/**
 * Removes from `dist` what no file under `src` gives any more, so that it is not packed.
 * @param {string} folder of a package
 * @returns {string[]} the paths below `folder` that are gone
 */
export function removeStale(folder) {
  const dist = join(folder, "dist");
  if (!existsSync(dist)) return [];
  const stale = readdirSync(dist, { recursive: true, encoding: "utf8" })
    .toSorted()
    .filter((path) => {
      const [, stem, kind] = builtFrom.exec(path) ?? [];
      return stem !== undefined && !existsSync(join(folder, "src", `${stem}.${kind}ts`));
    });
  for (const path of stale) rmSync(join(dist, path));
  return stale.map((path) => join("dist", path));
}
