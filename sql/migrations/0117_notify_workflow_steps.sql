-- Steps of workflows: branch, fetch, throttle and schedule.
alter table notify.run_steps drop constraint run_steps_type_check;
alter table notify.run_steps add constraint run_steps_type_check
  check (type in ('channel', 'wait', 'digest', 'branch', 'fetch', 'throttle', 'schedule')) not valid;

alter table notify.workflows add column fallback_time_zone text not null default 'UTC';
alter table notify.workflow_versions add column fallback_time_zone text not null default 'UTC';

create table notify.run_fetches (
  run_id uuid not null references notify.runs (id) on delete cascade,
  number integer not null,
  org_id uuid not null,
  name text not null,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'failed')),
  tries integer not null default 0,
  http_status integer,
  fields jsonb not null default '{}',
  reason text,
  error text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (run_id, number)
);

comment on table notify.run_fetches is 'Responses of customers'' servers to runs, as fields for conditions and texts.';

create table notify.throttles (
  workflow_id uuid not null references notify.workflows (id) on delete cascade,
  user_id uuid not null,
  number integer not null,
  key text not null,
  org_id uuid not null,
  passed jsonb not null default '[]',
  last_at timestamptz not null default now(),
  primary key (workflow_id, user_id, number, key)
);

comment on table notify.throttles is 'Times, in milliseconds since 1970, at which runs of a person passed a throttle step. The row is locked while runs are counted.';

create index throttles_age on notify.throttles (last_at);
create index throttles_person on notify.throttles (org_id, user_id);

create table notify.fetch_secrets (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table notify.fetch_secrets is 'Secret that signs the requests of fetch steps, encrypted.';

select account.fence_closed('notify.fetch_secrets');
select account.let_moves_pass();
