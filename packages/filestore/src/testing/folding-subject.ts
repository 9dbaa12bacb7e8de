import type { StoreSubject } from "@pulse-ts/store-testkit";
import { fileStore } from "../open.ts";
import { fileStoreAt } from "../testing.ts";
import { subject as usual } from "./subject.ts";

const options = { foldBytesMin: 0, contentBytesMin: 1_000_000_000 };

/** Local files whose records are folded into snapshots as often as can be, with all bytes in their lines. */
export const subject: StoreSubject = {
  ...usual,
  name: "filestore that folds, all bytes in its lines",
  open: (folder, at) =>
    at === undefined ? fileStore({ folder, ...options }) : fileStoreAt({ folder, ...options }, at),
};
