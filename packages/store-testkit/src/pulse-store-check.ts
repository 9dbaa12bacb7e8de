#!/usr/bin/env node
import { runCommand } from "./command/run.ts";

/** The command `pulse-store-check`. */
const code = await runCommand(process.argv.slice(2), { report: process.stdout, messages: process.stderr });

// A store that leaves something open would keep the process; what was written must be out before it ends.
process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
