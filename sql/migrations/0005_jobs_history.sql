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
  primary key (at, pool, task)
);

comment on column jobs.minutes.returned is 'Attempts that ended as Later, handed back or cancelled.';
comment on column jobs.minutes.wait_ms is 'Sum over the attempts that began: from when the job was due until it began.';

create table jobs.hours (like jobs.minutes including all);

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
  primary key (at, pool, task)
);

comment on table jobs.depths is 'One row for each task that has jobs, and one with no task for each pool: it was looked at.';
comment on column jobs.depths.waiting is 'Jobs that are due; those whose time has not come are scheduled.';
comment on column jobs.depths.running is 'Jobs that a worker holds, those it has fetched ahead among them.';
comment on column jobs.depths.oldest_s is 'Age of the oldest due job in seconds.';

-- The largest of each hour.
create table jobs.depth_hours (like jobs.depths including all);

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
