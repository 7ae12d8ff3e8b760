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
