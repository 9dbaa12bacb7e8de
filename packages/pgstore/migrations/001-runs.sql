-- Runs and their entries. Run with the search path set to the schema of the store.

CREATE TABLE pulse_migrations (
  number     integer     NOT NULL PRIMARY KEY,
  name       text        NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pulse_migrations IS
  'Which migrations of Pulse''s store made this schema. A row is written in the transaction that makes the objects, so what it names is there whole.';

COMMENT ON CONSTRAINT pulse_migrations_pkey ON pulse_migrations IS 'A migration is done once.';

-- Columns that every save changes stand together: the log then holds little more than them.
CREATE TABLE runs (
  run_no      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  revision    bigint      NOT NULL,
  lease_end   timestamptz NOT NULL,
  checksum    integer     NOT NULL,
  epoch       bigint      NOT NULL,
  resumes     bigint      NOT NULL,
  owner       uuid,
  holder      bigint,
  holder_name text,
  status      text COLLATE "C",
  version     bytea,
  run_id      bytea       NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE runs IS
  'One row a run. Every save changes it in the statement that writes, so of two saves only one finds the revision and the owner that it expects. Half of each page is kept free: then no index has to learn of a save.';
COMMENT ON CONSTRAINT runs_pkey ON runs IS 'What an owner names its run by: the way of each save to its row.';
COMMENT ON COLUMN runs.run_no IS 'Never used twice: what an owner still writes for a run that was deleted meets no other run.';
COMMENT ON COLUMN runs.revision IS 'The revision of the last save; 0 when the run was acquired and never saved.';
COMMENT ON COLUMN runs.lease_end IS 'Until when the owner may save, by the clock of this database alone; -infinity when nobody owns the run.';
COMMENT ON COLUMN runs.checksum IS 'CRC-32 of run_id, revision, status, version and resumes: damage is told, not read.';
COMMENT ON COLUMN runs.epoch IS 'One more with each owner.';
COMMENT ON COLUMN runs.owner IS
  'Random, new with each ownership. A save names it, so nobody else''s save fits, not even after a fail-over that lost the newest epochs.';
COMMENT ON COLUMN runs.holder IS
  'Random key of the advisory lock that the owner''s process holds. Free: that process is gone, and the run can be taken. Null: only the lease tells.';
COMMENT ON COLUMN runs.status IS 'Null until the first save: such a run is in no list.';
COMMENT ON COLUMN runs.version IS 'UTF-8. Bytes, since text holds no NUL.';
COMMENT ON COLUMN runs.run_id IS 'UTF-16, big endian: any string, and bytes order as strings do.';

CREATE UNIQUE INDEX runs_one_per_id ON runs (sha256(run_id));
COMMENT ON INDEX runs_one_per_id IS
  'A run id has one row, however long it is: this is what lets only one of several that begin a run make its row.';

CREATE TABLE entries (
  run_no     bigint  NOT NULL,
  revision   bigint  NOT NULL,
  checksum   integer NOT NULL,
  key_digest bytea   NOT NULL,
  key        bytea   NOT NULL,
  text       bytea   NOT NULL,
  bytes      bytea,
  PRIMARY KEY (run_no, key_digest)
);
COMMENT ON TABLE entries IS
  'One row an entry of a run''s record. Written only by a statement that changes the run''s row too, and deleted with it: so no entry is newer than its run, and a save costs what it changes.';
COMMENT ON CONSTRAINT entries_pkey ON entries IS
  'An entry is there once. The first half of the SHA-256 of the key, since a key may be longer than an index takes.';
COMMENT ON COLUMN entries.revision IS 'The save that put it last.';
COMMENT ON COLUMN entries.checksum IS 'CRC-32 of run_id, key, revision, text and bytes: damage, and a row that strayed, is told.';
COMMENT ON COLUMN entries.key IS 'UTF-8.';
COMMENT ON COLUMN entries.text IS 'The entry as JSON, UTF-8: convert_from(text, ''UTF8'').';
COMMENT ON COLUMN entries.bytes IS 'The bytes beside the text, each after its length in four bytes; null when there are none.';
