import { defineConfig } from "vitest/config";

/** Makes `@pulse-ts/*` resolve to TypeScript sources, so that tests need no build. */
const conditions = ["@pulse-ts/source"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions }, noExternal: [/^@pulse-ts\//] },
  test: {
    include: ["src/**/*.test.ts"],
    testTimeout: 60_000,
    typecheck: { enabled: true, include: ["src/**/*.test-d.ts"], tsconfig: "./tsconfig.test.json" },
  },
});
