create table jobs.runs (
  id uuid primary key,
  task text not null,
  pool text not null,
  job_id bigint,
  org_id uuid,
  subject uuid,
  -- rejected: what a customer gave can never be worked on, such as a file that is no video; no failure.
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed', 'rejected', 'cancelled')),
  attempt integer not null default 0,
  attempt_token uuid,
  progress real not null default 0 check (progress between 0 and 1),
  cancel_requested_at timestamptz,
  asked boolean not null default false,
  result jsonb,
  error text,
  request_id text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  envelope json,
  discarded_at timestamptz
);

comment on table jobs.runs is 'The lasting record of each job of a tracked task; subject is the row the work is about.';
comment on column jobs.runs.envelope is 'The job''s payload column, kept when the run fails or is cancelled.';
comment on column jobs.runs.discarded_at is 'When an operator, or FAILED_JOB_DAYS, took the failed job out of its queue.';

create index runs_subject on jobs.runs (subject, task);
create index runs_job on jobs.runs (pool, job_id) where state = 'waiting';
create index runs_open on jobs.runs (pool, state, created_at) where state in ('waiting', 'running');
create index runs_finished on jobs.runs (finished_at) where finished_at is not null;
create index runs_failed on jobs.runs (id) where state = 'failed';

create table jobs.attempts (
  run_id uuid not null references jobs.runs (id) on delete cascade,
  attempt integer not null,
  worker text not null,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  outcome text check (outcome in ('done', 'retry', 'failed', 'rejected', 'later', 'handed_back', 'cancelled', 'lost')),
  error text,
  primary key (run_id, attempt)
);

create table jobs.failures (
  id uuid primary key,
  pool text not null,
  task text not null,
  job_id bigint not null,
  run_id uuid,
  org_id uuid,
  request_id text,
  worker text not null,
  attempt integer not null,
  final boolean not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  error text not null,
  fingerprint text not null
);

comment on table jobs.failures is 'Attempts that threw, of tracked and untracked tasks alike.';
comment on column jobs.failures.fingerprint is 'The error without its numbers, ids and paths: what like failures share.';

create index failures_job on jobs.failures (pool, job_id);
create index failures_ended on jobs.failures (ended_at);
create index failures_fingerprint on jobs.failures (fingerprint, ended_at);

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
comment on column jobs.minutes.rejected is 'Attempts that ended the job as rejected.';

create table jobs.hours (
like jobs.minutes including all
);

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
comment on column jobs.depths.held is 'Jobs that wait until their task is resumed.';

-- The largest of each hour.
create table jobs.depth_hours (
like jobs.depths including all
);

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
