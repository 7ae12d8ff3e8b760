-- What the fleet did, rolled up. Workers write it in batches; `jobs/roll-up` makes hours of minutes; all of it is pruned.
create table jobs.minutes (
  pool text not null,
  task text not null,
  at timestamptz not null,
  done integer not null default 0,
  retried integer not null default 0,
  failed integer not null default 0,
  returned integer not null default 0,
  wait_ms bigint not null default 0,
  wait_max_ms bigint not null default 0,
  run_ms bigint not null default 0,
  run_max_ms bigint not null default 0,
  rejected integer not null default 0,
  primary key (at, pool, task)
);

comment on column jobs.minutes.returned is 'Attempts that ended as Later, handed back or cancelled.';
comment on column jobs.minutes.wait_ms is 'Sum over the attempts that began: from when the job was due until it began.';

create table jobs.hours (like jobs.minutes including all);

comment on column jobs.minutes.rejected is 'Attempts that ended the job as rejected.';

-- The state of each queue, looked at once a minute.
create table jobs.depths (
  pool text not null,
  task text not null,
  at timestamptz not null,
  waiting integer not null,
  scheduled integer not null default 0,
  running integer not null,
  failed integer not null,
  oldest_s integer not null,
  held integer not null default 0,
  primary key (at, pool, task)
);

comment on table jobs.depths is 'One row for each task that has jobs, and one with no task for each pool: it was looked at.';
comment on column jobs.depths.waiting is 'Jobs that are due; those whose time has not come are scheduled.';
comment on column jobs.depths.running is 'Jobs that a worker holds, those it has fetched ahead among them.';
comment on column jobs.depths.oldest_s is 'Age of the oldest due job in seconds.';

-- The largest of each hour.
create table jobs.depth_hours (like jobs.depths including all);

comment on column jobs.depths.held is 'Jobs that wait until their task is resumed.';

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
