import { describeStore } from "@pulse-ts/store-testkit";
import { vitestRunner } from "@pulse-ts/store-testkit/vitest";
import { subject } from "./testing/subject.ts";

describeStore(subject, vitestRunner, { module: new URL("./testing/subject.ts", import.meta.url) });
