import { run } from "@pulse-ts/core";
import { digest } from "./digest.ts";

const outcome = await run(digest, { url: "https://example.org" });
console.log(outcome.values.summary);
