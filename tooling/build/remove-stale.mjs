// Runs after `tsc -b`, in the folder of a package: tsc writes what the sources give and leaves what earlier sources gave.
import { removeStale } from "./stale.mjs";

for (const path of removeStale(process.cwd())) console.log(`removed ${path}: its source is gone`);
