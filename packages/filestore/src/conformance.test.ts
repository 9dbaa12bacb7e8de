import { describeStore } from "@pulse-ts/store-testkit";
import { vitestRunner } from "@pulse-ts/store-testkit/vitest";
import { subject as folding } from "./testing/folding-subject.ts";
import { subject } from "./testing/subject.ts";

describeStore(subject, vitestRunner, { module: new URL("./testing/subject.ts", import.meta.url) });

// What may come out of a snapshot otherwise than out of a journal.
describeStore(folding, vitestRunner, {
  module: new URL("./testing/folding-subject.ts", import.meta.url),
  only: ["KIT-4", "KIT-5", "REC-25", "REC-27", "REC-31", "STORE-8", "KIT-2.random-moments"],
});
