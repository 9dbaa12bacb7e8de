import { describeStore } from "@pulse-ts/store-testkit";
import { vitestRunner } from "@pulse-ts/store-testkit/vitest";
import { needsPostgres } from "@pulse-ts/test-postgres";
import { beforeEach } from "vitest";
import { subject } from "./testing/subject.ts";

beforeEach(needsPostgres);

describeStore(subject, vitestRunner, { module: new URL("./testing/subject.ts", import.meta.url) });
