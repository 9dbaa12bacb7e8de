import { describeStore } from "./describe-store.ts";
import { subject } from "./testing/memory-subject.ts";
import { vitestRunner } from "./vitest.ts";

describeStore(subject, vitestRunner);
