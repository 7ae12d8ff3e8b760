create schema automation;

comment on schema automation is 'Rules of organisations: an event of a type that matches conditions starts an action.';

create table automation.rules (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  name text not null,
  event text not null,
  mode text check (mode in ('live', 'test')),
  conditions jsonb not null default '[]',
  action jsonb not null,
  secret_headers text,
  max_per_minute integer not null check (max_per_minute between 1 and 6000),
  state text not null default 'enabled' check (state in ('enabled', 'paused', 'deleted')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table automation.rules is 'Rules: event, conditions and one action.';
comment on column automation.rules.key_id is 'API key that created the rule. Null if a member created it.';
comment on column automation.rules.event is 'Event type, or a pattern such as email.*.';
comment on column automation.rules.mode is 'Mode of the events. Null for both modes.';
comment on column automation.rules.secret_headers is 'Sealed JSON object: the headers of an HTTP job.';
comment on column automation.rules.state is 'deleted: the rule is kept as long as its runs.';

create index rules_org on automation.rules (org_id, id) where state <> 'deleted';
create index rules_state on automation.rules (org_id, state, id);
create index rules_event on automation.rules (org_id, event, id);
create index rules_asking on automation.rules (event) where state = 'enabled';

create table automation.runs (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  rule_id uuid not null references automation.rules (id),
  event_id uuid not null,
  event_type text not null,
  sandbox boolean not null default false,
  depth integer not null default 0,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'failed', 'limited', 'loop_stopped')),
  result_type text check (result_type in ('workflow', 'job', 'template')),
  result_id uuid,
  error_code text,
  error_message text,
  retries integer not null default 0,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  unique (rule_id, event_id)
);

comment on table automation.runs is 'One row for each event that has started a rule.';
comment on column automation.runs.depth is 'Number of rules whose actions led to the event.';
comment on column automation.runs.result_id is 'Event of the notify area, job or message that the action created.';
comment on column automation.runs.retries is 'Number of times that somebody has retried the run.';

create index runs_org on automation.runs (org_id, id);
create index runs_status on automation.runs (org_id, status, id);
create index runs_rule on automation.runs (rule_id, id);
create index runs_rule_status on automation.runs (rule_id, status, id);
create index runs_event on automation.runs (org_id, event_id, id);
create index runs_type on automation.runs (org_id, event_type, id);
create index runs_created on automation.runs (created_at);
create index runs_result on automation.runs (result_id) where result_id is not null;

create table automation.rule_minutes (
  rule_id uuid not null references automation.rules (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  minute timestamptz not null,
  runs integer not null,
  primary key (rule_id, minute)
);

comment on table automation.rule_minutes is 'Number of runs of a rule by the minute of their events, for the limit.';

create index rule_minutes_minute on automation.rule_minutes (minute);
create index rule_minutes_org on automation.rule_minutes (org_id);

select account.fence_closed('automation.rules', 'automation.runs', 'automation.rule_minutes');
select account.let_moves_pass();
