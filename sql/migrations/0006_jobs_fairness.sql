-- How much of each pool's queue is whose. Processes add what they enqueued and began a few times a second, so that no
-- transaction waits for a row here; `jobs/recount` puts right what crashes and rollbacks left wrong.
-- Unlogged: a crash of the server costs the counts of one minute, and they cost no write-ahead log.
create unlogged table jobs.shares (
  pool text not null,
  org_id uuid not null,
  priority smallint not null,
  waiting integer not null default 0,
  begun bigint not null default 0,
  begun_before bigint not null default 0,
  primary key (pool, org_id, priority)
) with (fillfactor = 50);

comment on column jobs.shares.priority is 'The priority that was asked for, without the level (tasks/jobs/fairness.ts).';
comment on column jobs.shares.waiting is 'Due jobs that wait. Below 0 for a moment when a job''s start is written before its enqueueing.';
comment on column jobs.shares.begun is 'First attempts that began since the row was made; two looks at it give the rate.';
comment on column jobs.shares.begun_before is 'The same at the last recount: a row whose organisation is idle goes.';
