-- The order in which runs are listed. A run id may be longer than an index takes, so the first 256 units of it stand here
-- and the rows themselves decide between ids that begin alike.

CREATE INDEX runs_by_id ON runs (substring(run_id, 1, 512)) WHERE status IS NOT NULL;
COMMENT ON INDEX runs_by_id IS 'A page of saved runs is read in order, at a cost that does not depend on how many runs there are.';

CREATE INDEX runs_by_status ON runs (status, substring(run_id, 1, 512)) WHERE status IS NOT NULL;
COMMENT ON INDEX runs_by_status IS 'The same for the runs of one status; and counting them reads no row of another.';
