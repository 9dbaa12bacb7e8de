/** What the store does to the disk; each is one method of `Platform`. */
export type Operation =
  | "createFile"
  | "write"
  | "truncate"
  | "sync"
  | "syncFolder"
  | "link"
  | "rename"
  | "unlink"
  | "makeFolder"
  | "makeNewFolder"
  | "removeFolder"
  | "touch";

/**
 * Every place where the store changes something on disk, and what it does there: the one list that names them. A change
 * of the disk has to name its step, and a step its operation, or nothing compiles; so this list is also the list of the
 * points at which a test can fail, delay or end the store (KIT-2, KIT-6).
 */
export const steps = {
  "root-make": "makeFolder",
  "root-mark-create": "createFile",
  "root-mark-write": "write",
  "root-mark-sync": "sync",
  "root-mark-publish": "link",
  "root-mark-replace": "rename",
  "root-mark-unstage": "unlink",
  "root-folder-sync": "syncFolder",
  "root-sweep-file": "unlink",
  "root-sweep-folder": "removeFolder",
  "lock-make": "makeNewFolder",
  "lock-touch": "touch",
  "lock-remove": "removeFolder",
  "lock-sweep": "removeFolder",
  "run-stage": "makeFolder",
  "run-mark-create": "createFile",
  "run-publish": "rename",
  "run-unstage-file": "unlink",
  "run-unstage": "removeFolder",
  "epoch-create": "createFile",
  "epoch-write": "write",
  "epoch-publish": "link",
  "epoch-unstage": "unlink",
  "epoch-withdraw": "unlink",
  "tombstone-sync": "sync",
  "tombstone-folder-sync": "syncFolder",
  "journal-append": "write",
  "journal-extend": "write",
  "journal-sync": "sync",
  "journal-folder-sync": "syncFolder",
  "journal-cut": "truncate",
  "journal-close": "write",
  "journal-withdraw": "unlink",
  "snapshot-create": "createFile",
  "snapshot-write": "write",
  "snapshot-sync": "sync",
  "snapshot-publish": "rename",
  "snapshot-folder-sync": "syncFolder",
  "snapshot-unstage": "unlink",
  "content-shard-make": "makeFolder",
  "content-create": "createFile",
  "content-write": "write",
  "content-sync": "sync",
  "content-publish": "link",
  "content-replace": "rename",
  "content-unstage": "unlink",
  "content-touch": "touch",
  "content-return": "link",
  "content-folder-sync": "syncFolder",
  "collect-take-out": "rename",
  "collect-put-back": "link",
  "collect-folder-sync": "syncFolder",
  "collect-owners-create": "createFile",
  "collect-owners-write": "write",
  "collect-owners-remove": "unlink",
  "collect-remove": "unlink",
  "old-file-remove": "unlink",
  "run-remove-sync": "syncFolder",
  "run-remove": "removeFolder",
} as const satisfies Readonly<Record<string, Operation>>;

/** The places where the store changes something on disk. */
export type Step = keyof typeof steps;

/** The steps that do this. */
export type StepOf<Does extends Operation> = {
  [Name in Step]: (typeof steps)[Name] extends Does ? Name : never;
}[Step];
