import { mergeConfig } from "vitest/config";
import shared from "../vitest.shared.ts";

const config = mergeConfig(shared, { test: { name: "tooling" } });
// The checks are plain programs: no type tests here, and the tests stand beside the code without a src folder.
config.test.include = ["**/*.test.ts"];
config.test.typecheck = { enabled: false };

export default config;
