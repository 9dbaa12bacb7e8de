// npm run hook: makes git look at the format of every file before a commit. Nothing does this by itself.
import { installHook } from "./setup/hook.mjs";
import { root } from "./setup/workspace-bin.mjs";

try {
  const { path, made } = installHook(root);
  console.log(made ? `Made ${path}. Delete it to be rid of it.` : `${path} is there already and stays as it is.`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
