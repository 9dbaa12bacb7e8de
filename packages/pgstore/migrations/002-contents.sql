-- Big values, kept once under their SHA-256, and which run may name which.

CREATE TABLE contents (
  digest  bytea       NOT NULL PRIMARY KEY,
  size    bigint      NOT NULL,
  used_at timestamptz NOT NULL,
  bytes   bytea       NOT NULL
);
-- Not compressed: a piece of it is read without the rest.
ALTER TABLE contents ALTER COLUMN bytes SET STORAGE EXTERNAL;
COMMENT ON TABLE contents IS
  'Values too big for an entry, once for all runs. Written and checked against the digest in the statement of the save that names them.';
COMMENT ON CONSTRAINT contents_pkey ON contents IS 'Equal bytes are kept once.';
COMMENT ON COLUMN contents.used_at IS
  'When a save put or used it last. It goes only when this is long enough ago, by the clock of this database.';

CREATE TABLE content_uses (
  digest bytea  NOT NULL CONSTRAINT content_uses_keep REFERENCES contents (digest),
  run_no bigint NOT NULL,
  PRIMARY KEY (digest, run_no)
);
COMMENT ON TABLE content_uses IS
  'The contents that a run names, or that its open session may still name. Rows of an owned run only come; they go when nobody owns the run and its record names the content no more.';
COMMENT ON CONSTRAINT content_uses_keep ON content_uses IS
  'A content that a run may name cannot be deleted, and a content that is not there cannot be named: whoever collects, and whenever.';
COMMENT ON CONSTRAINT content_uses_pkey ON content_uses IS 'A use is written down once; and whether a content is used is asked here.';
CREATE INDEX content_uses_by_run ON content_uses (run_no);
COMMENT ON INDEX content_uses_by_run IS 'Finds what a run names, when it is deleted and when contents are collected.';
