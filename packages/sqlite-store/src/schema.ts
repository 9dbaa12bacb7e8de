/** The tables of a store, and how a file that has none, or those of an older version, gets them (STORE-9). */

/** In the file's header: this is a store, and no other application's database ("Puls"). */
export const applicationId = 0x50_75_6c_73;

/** One step of the schema: from the version before, which is its place in the list, to the next. */
export interface Migration {
  /** What it does, for messages. */
  readonly name: string;
  readonly sql: string;
}

/**
 * Each store is made by all of them, and an older one by those that it lacks, in one transaction: so there is no file with
 * half a schema. Only ever added to. The guarantee of each object stands beside it.
 */
export const migrations: readonly Migration[] = [
  {
    name: "runs, owners, entries and contents",
    sql: `
-- One row a run. "number" names the run in "entry.place" and is never used again.
-- "sort" is the run id in UTF-16BE: its bytes stand in the order in which JavaScript compares ids, and hold any id without
-- loss. "id" is the same for people. "entries" counts the run's rows, so that a lost one is missed; "sum" is the CRC-32 of the rest.
-- The unique "sort" is what makes two first saves of one run impossible.
CREATE TABLE run (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  sort BLOB NOT NULL UNIQUE,
  revision INTEGER NOT NULL,
  status TEXT NOT NULL,
  version TEXT NOT NULL,
  resumes INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  sum INTEGER NOT NULL
) STRICT;

-- A page of the runs of one status is one range of this index.
CREATE INDEX run_by_status ON run (status, sort);

-- One row for each owned run; gone when its owner lets go. The epoch is never used again, so a save that finds its
-- epoch's row knows that nobody took the run since (STORE-6). The unique "sort" is what makes two owners impossible.
-- "asked": when somebody who cannot judge the holder asked for a sign of life, in milliseconds since 1970.
CREATE TABLE owner (
  epoch INTEGER PRIMARY KEY AUTOINCREMENT,
  sort BLOB NOT NULL UNIQUE,
  holder TEXT NOT NULL,
  asked INTEGER
) STRICT;

-- One row an entry. "place" is the run's number in the upper and a number within the run in the lower 32 bits: the rows of
-- a run lie together in the order in which they came, so that a save writes to the last page of its run and to no index.
-- "bytes": what stands beside the text, one piece after the other; "cuts": their lengths when there are several.
-- "sum": the CRC-32 of all that and of where it belongs.
CREATE TABLE entry (
  place INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  text TEXT NOT NULL,
  cuts TEXT,
  bytes BLOB,
  sum INTEGER NOT NULL
) STRICT;

-- One row a big value, once for all runs: its unique digest sees to that (STORE-8). "used": when a save last put or used
-- it, in milliseconds since 1970. "leaving": the newest epoch there was when a collection found that nothing names it.
CREATE TABLE content (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  digest TEXT NOT NULL UNIQUE,
  size INTEGER NOT NULL,
  used INTEGER NOT NULL,
  leaving INTEGER
) STRICT;

-- Apart from their marks, so that marking rewrites no big row.
CREATE TABLE content_bytes (
  content INTEGER PRIMARY KEY REFERENCES content ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;

-- Which entry names which content. The foreign key is what makes it impossible to remove a content that is named.
CREATE TABLE naming (
  place INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE,
  content INTEGER NOT NULL REFERENCES content,
  PRIMARY KEY (place, content)
) STRICT, WITHOUT ROWID;

CREATE INDEX naming_by_content ON naming (content);
`,
  },
];
