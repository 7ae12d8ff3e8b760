-- What operators have asked of the fleet. It holds on every host and outlives restarts.
create table jobs.pauses (
  pool text not null,
  task text not null default '',
  reason text,
  paused_by text not null,
  paused_at timestamptz not null default now(),
  primary key (pool, task)
);

comment on column jobs.pauses.task is 'Empty when the whole pool is paused.';

create table jobs.drains (
  host text primary key,
  drained_by text not null,
  drained_at timestamptz not null default now()
);

comment on table jobs.drains is 'Hosts whose workers fetch nothing until they are resumed.';

create table jobs.actions (
  id uuid primary key,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  target text not null,
  count integer not null default 1
);

comment on table jobs.actions is 'What operators did: the actor is a key''s id and name, or the account that ran the command.';

create index actions_at on jobs.actions (at);

-- A paused task's jobs wait a thousand years later than they would: jobs of the future cost a queue nothing, while due ones
-- that nobody may take slow its neighbours (measured: 1,700 claims/s fell to 90). In hours, as those know no time zones.
create function jobs.parked(run_at timestamptz) returns boolean language sql immutable
  return run_at >= timestamptz '2900-01-01 00:00:00+00';

create function jobs.park(run_at timestamptz) returns timestamptz language sql immutable
  return case when jobs.parked(run_at) then run_at else run_at + interval '8766000 hours' end;

create function jobs.unpark(run_at timestamptz) returns timestamptz language sql immutable
  return case when jobs.parked(run_at) then run_at - interval '8766000 hours' else run_at end;

-- What a job carried, kept where its queue may lose it, so that its run can be tried again.
alter table jobs.runs add column envelope json, add column discarded_at timestamptz;

create index runs_failed on jobs.runs (id) where state = 'failed';

comment on column jobs.runs.envelope is 'The job''s payload column, kept when the run fails or is cancelled.';
comment on column jobs.runs.discarded_at is 'When an operator took the failed job out of its queue.';

-- A failed asset can be tried again for as long as its upload is kept.
alter table video.assets add column source_removed_at timestamptz;
