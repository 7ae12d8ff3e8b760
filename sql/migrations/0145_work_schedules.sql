create table work.schedules (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  cron text,
  time_zone text not null default 'UTC',
  every_seconds integer check (every_seconds between 60 and 31622400),
  job jsonb not null,
  headers text,
  missed text not null default 'skip' check (missed in ('skip', 'once')),
  state text not null default 'active' check (state in ('active', 'paused', 'ended')),
  anchor timestamptz not null default now(),
  starts_at timestamptz,
  ends_at timestamptz,
  next_run_at timestamptz,
  last_run_at timestamptz,
  last_error jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, name),
  check ((cron is null) <> (every_seconds is null)),
  check (state = 'active' or next_run_at is null)
);

comment on table work.schedules is 'Schedules of organisations. Each run creates a job.';
comment on column work.schedules.job is 'Job that each run creates, without its headers.';
comment on column work.schedules.headers is 'Sealed JSON object of the headers, because they can contain credentials.';
comment on column work.schedules.missed is 'What happens to runs that were missed by more than 5 minutes. skip: nothing. once: one job for all of them.';
comment on column work.schedules.anchor is 'First instant of an interval without starts_at.';
comment on column work.schedules.next_run_at is 'Next run. It moves in the transaction that creates the job. Null if the schedule is paused or has ended.';
comment on column work.schedules.last_error is 'Reason why the last run created no job, with its time.';

create index schedules_list on work.schedules (org_id, id);
create index schedules_state on work.schedules (org_id, state, id);
create index schedules_due on work.schedules (next_run_at) where next_run_at is not null;

alter table work.jobs add column scheduled_for timestamptz;

comment on column work.jobs.scheduled_for is 'Time of the schedule''s run that created the job.';

select account.fence_closed('work.schedules');
select account.let_moves_pass();
