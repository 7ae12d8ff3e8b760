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
