create table work.flows (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text,
  state text not null default 'running' check (state in ('running', 'completed', 'failed', 'cancelled')),
  job_count integer not null,
  created_at timestamptz not null default now(),
  cancelled_at timestamptz,
  ended_at timestamptz,
  check ((state = 'running') = (ended_at is null))
);

comment on table work.flows is 'Jobs that start in an order. The row is locked while jobs of the flow end, so that each dependent job starts once.';
comment on column work.flows.cancelled_at is 'Time of the cancellation. No further job of the flow starts.';

create index flows_list on work.flows (org_id, id);
create index flows_state on work.flows (org_id, state, id);
create index flows_name on work.flows (org_id, name, id) where name is not null;
create index flows_ended on work.flows (ended_at) where ended_at is not null;

create table work.flow_jobs (
  flow_id uuid not null references work.flows (id) on delete cascade,
  job_id uuid not null unique,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  position integer not null,
  after text[] not null default '{}',
  on_failure text not null default 'skip' check (on_failure in ('skip', 'run')),
  with_results boolean not null default false,
  delay_seconds integer not null default 0,
  state text not null check (state in ('blocked', 'open', 'completed', 'failed', 'cancelled', 'skipped')),
  response_status integer,
  result text,
  primary key (flow_id, name)
);

comment on table work.flow_jobs is 'Jobs of flows, with the jobs that they wait for. Kept after the job itself was deleted.';
comment on column work.flow_jobs.after is 'Names of the jobs that must end before this job starts.';
comment on column work.flow_jobs.delay_seconds is 'Seconds between the end of the jobs that it waits for and its start.';
comment on column work.flow_jobs.state is 'blocked: waits for other jobs. open: the job can start, or runs. The other states are final.';
comment on column work.flow_jobs.result is 'JSON that the server returned, for jobs with with_results.';

create index flow_jobs_org on work.flow_jobs (org_id);

alter table work.jobs drop constraint jobs_status_check;
alter table work.jobs add constraint jobs_status_check
  check (status in ('blocked', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'skipped')) not valid;

select account.fence_closed('work.flows');
select account.let_moves_pass();
