// A process with a store of its own: it is given the path of a store module.
import { importSubject } from "./import-subject.ts";
import { runStoreChild } from "./run-store-child.ts";

await runStoreChild(await importSubject(process.argv[2] ?? ""));
