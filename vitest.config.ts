import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "examples/*", "proofs", "tooling"],
    // Two at least: many tests wait for processes, servers and disks most of their time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
