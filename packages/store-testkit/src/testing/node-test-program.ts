import { describeStore } from "../describe-store.ts";
import { nodeTestRunner } from "../node-test.ts";
import { subject as memory } from "./memory-subject.ts";
import { subject as wrong } from "./wrong-subject.ts";

/** A test file as the author of a store writes it for Node's own runner. */
describeStore(memory, nodeTestRunner, { only: ["STORE-3", "KIT-2"], seed: 5 });
describeStore(wrong, nodeTestRunner, { only: ["STORE-3.conflict"], seed: 5 });
