create schema work;

comment on schema work is 'Jobs of organisations: HTTP requests that Millrace sends to their servers, with schedules, retries and limits.';

create table work.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  retention_days integer check (retention_days between 1 and 3650),
  created_at timestamptz not null default now(),
  rotated_at timestamptz
);

comment on column work.settings.secret is 'Secret with which the requests of the organisation are signed. Sealed.';
comment on column work.settings.retention_days is 'Days that ended jobs are kept. Null: the setting of the installation.';

create table work.jobs (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  url text not null,
  host text not null,
  method text not null check (method in ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
  header_names text[] not null default '{}',
  headers text,
  body text,
  body_type text check (body_type in ('json', 'text')),
  status text not null check (status in ('blocked', 'waiting', 'running', 'completed', 'failed', 'cancelled')),
  phase text not null check (phase in ('blocked', 'timed', 'held', 'paced', 'ready', 'running', 'ended')),
  due_at timestamptz not null,
  turn integer not null default 0,
  queue_id bigint,
  retries jsonb not null,
  timeout_ms integer not null,
  dedupe_key text,
  concurrency_key text,
  concurrency_limit integer,
  has_place boolean not null default false,
  rate_key text,
  rate_limit integer,
  rate_per text check (rate_per in ('second', 'minute', 'hour')),
  group_name text,
  origin_kind text check (origin_kind in ('schedule', 'flow', 'source', 'rule')),
  origin_id uuid,
  blocked_by integer not null default 0,
  attempts integer not null default 0,
  attempt_log jsonb not null default '[]',
  response_status integer,
  error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  ended_at timestamptz
) with (fillfactor = 70);

comment on table work.jobs is 'HTTP requests of organisations. Only jobs that can start now are in the queue of the pool.';
comment on column work.jobs.headers is 'Sealed JSON object of the headers, because they can contain credentials.';
comment on column work.jobs.status is 'running: a request that takes longer than a moment. A short request goes from waiting to its end.';
comment on column work.jobs.phase is 'timed: waits for due_at. held: waits for a place of its concurrency key. paced: waits for its slot of the rate at due_at. ready: in the queue.';
comment on column work.jobs.turn is 'Number of times that the job was put in the queue. An older entry of the queue does nothing.';
comment on column work.jobs.queue_id is 'Entry in the queue of the pool while the job is ready or running.';
comment on column work.jobs.has_place is 'True while the job counts for the limit of its concurrency key.';
comment on column work.jobs.blocked_by is 'Number of jobs that must end before this job starts.';

create index jobs_list on work.jobs (org_id, id);
create index jobs_status on work.jobs (org_id, status, id);
create index jobs_group on work.jobs (org_id, group_name, id) where group_name is not null;
create index jobs_origin on work.jobs (org_id, origin_id, id) where origin_id is not null;
create index jobs_host on work.jobs (org_id, host, id);
create index jobs_due on work.jobs (due_at) where phase in ('timed', 'paced');
create index jobs_held on work.jobs (org_id, concurrency_key, id) where phase = 'held';
create index jobs_places on work.jobs (org_id, concurrency_key) where has_place;
create index jobs_queued on work.jobs (queue_id) where phase in ('ready', 'running');
create index jobs_ended on work.jobs (ended_at) where phase = 'ended';

create table work.keys (
  org_id uuid not null references account.orgs (id) on delete cascade,
  kind text not null check (kind in ('concurrency', 'rate')),
  key text not null,
  most integer not null,
  paced_until timestamptz not null default now(),
  used_at timestamptz not null default now(),
  primary key (org_id, kind, key)
);

comment on table work.keys is 'Concurrency and rate keys. The row is locked while jobs of the key get places or slots.';
comment on column work.keys.most is 'Latest limit of the key.';
comment on column work.keys.paced_until is 'Time from which the next job of a rate key can start.';

create index keys_used on work.keys (used_at);

create table work.dedupe_keys (
  org_id uuid not null references account.orgs (id) on delete cascade,
  key text not null,
  job_id uuid not null,
  until timestamptz not null,
  primary key (org_id, key)
);

comment on table work.dedupe_keys is 'Job that a dedupe key returns until a time.';

create index dedupe_keys_until on work.dedupe_keys (until);

select account.fence_closed('work.jobs', 'work.settings');
select account.let_moves_pass();
