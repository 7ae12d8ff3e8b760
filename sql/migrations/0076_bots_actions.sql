create table bots.actions (
  id uuid primary key,
  bot_id uuid not null references bots.bots (id) on delete cascade,
  name text not null,
  description text not null,
  url text not null,
  parameters jsonb not null,
  triggers text[] not null default '{}',
  secret text not null,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  unique (bot_id, name)
);

comment on table bots.actions is 'HTTP requests that a bot may make while it answers.';
comment on column bots.actions.parameters is 'JSON Schema of the arguments: an object of plain values.';
comment on column bots.actions.triggers is 'Phrases upon which the embedded engine makes the request; a model goes by the description.';
comment on column bots.actions.secret is 'What requests are signed with (Standard Webhooks 1.0), sealed.';

create index actions_newest on bots.actions (bot_id, id);

create table bots.action_calls (
  id uuid primary key,
  action_id uuid not null references bots.actions (id) on delete cascade,
  message_id uuid not null references bots.messages (id) on delete cascade,
  arguments jsonb,
  digest text not null,
  status text not null check (status in ('ok', 'failed')),
  http_status integer,
  answer text,
  error jsonb,
  ms integer not null,
  created_at timestamptz not null default now(),
  check ((status = 'failed') = (error is not null))
);

comment on table bots.action_calls is 'Requests that bots have made; an answer that is made anew takes what one with the same arguments has brought.';
comment on column bots.action_calls.arguments is 'What the model gave; null where that is no JSON object.';
comment on column bots.action_calls.digest is 'Hash of the arguments.';
comment on column bots.action_calls.ms is 'Milliseconds that the request took.';

create index action_calls_newest on bots.action_calls (action_id, id);
create index action_calls_message on bots.action_calls (message_id);
