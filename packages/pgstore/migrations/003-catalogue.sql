-- The order in which runs are listed. A run id may be longer than an index takes, so the beginning of it stands here, and
-- the rows themselves decide between ids that begin alike.

CREATE INDEX runs_by_id ON runs (substring(run_id, 1, 512)) WHERE status IS NOT NULL;
COMMENT ON INDEX runs_by_id IS 'A page of saved runs is read in order, at a cost that does not depend on how many runs there are.';

-- One unit less, so that it is another expression: else the planner may take runs_by_id for a page of one status, and pass
-- over all runs of others where they stand in a row.
CREATE INDEX runs_by_status ON runs (status, substring(run_id, 1, 510)) WHERE status IS NOT NULL;
COMMENT ON INDEX runs_by_status IS 'The same for the runs of one status, however few of all they are and wherever they stand.';
