alter table bots.action_calls
  add column number smallint,
  add column asked_at timestamptz not null default now(),
  drop column digest,
  drop constraint action_calls_status_check,
  add constraint action_calls_status_check check (status in ('ok', 'failed', 'unknown'));

comment on table bots.action_calls is 'Requests that bots have made; an answer that is made anew goes on from them.';
comment on column bots.action_calls.arguments is 'What the model gave; null where that is no JSON object of plain values, or is too long.';
comment on column bots.action_calls.status is 'unknown: under way, or its worker was stopped.';
comment on column bots.action_calls.number is 'Its place among the calls of its message, from 1; null: no request was to be made.';
comment on column bots.action_calls.asked_at is 'When it was made last.';

alter table bots.actions
  add column timeouts smallint not null default 0,
  add column paused_until timestamptz;

comment on column bots.actions.timeouts is 'Calls that had no answer in time since the last that had one.';
comment on column bots.actions.paused_until is 'No call is made before, as its server did not answer in time.';
