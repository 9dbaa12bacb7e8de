import { defineConfig } from "vitest/config";

/** Makes `@pulse-ts/*` resolve to TypeScript sources, so that tests need no build. */
const conditions = ["@pulse-ts/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions }, noExternal: [/^@pulse-ts\//] },
  test: {
    include: ["src/**/*.test.ts"],
    testTimeout: 60_000,
    // Each check of a store kills so many processes at random moments, and at four times as many fault points; other ones
    // each time. `pulse-store-check --kills 300` kills at all of them.
    env: { PULSE_KILLS: process.env["PULSE_KILLS"] ?? "4" },
    typecheck: { enabled: true, include: ["src/**/*.test-d.ts"], tsconfig: "./tsconfig.test.json" },
  },
});
