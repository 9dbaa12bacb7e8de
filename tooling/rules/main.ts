import { finish } from "../source/report.ts";
import { repositoryRoot } from "../source/workspace.ts";
import { checkRules } from "./check.ts";
import type { RequiredSet } from "./required.ts";
import required from "./required.json" with { type: "json" };

const [name = "all"] = process.argv.slice(2);
const set = Object.entries<RequiredSet>(required).find(([candidate]) => candidate === name)?.[1];
if (set === undefined)
  throw new Error(`checking rules: no set "${name}"; required.json has ${Object.keys(required).join(", ")}`);

finish(checkRules(repositoryRoot, set));
