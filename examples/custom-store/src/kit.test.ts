import { describeStore } from "@pulse-ts/store-testkit";
import { vitestRunner } from "@pulse-ts/store-testkit/vitest";
import { subject } from "./store-module.ts";

describeStore(subject, vitestRunner, { module: new URL("store-module.ts", import.meta.url) });
