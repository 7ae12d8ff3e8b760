create table bots.sources (
  id uuid primary key,
  bot_id uuid not null references bots.bots (id) on delete cascade,
  title text,
  url text,
  object_id uuid,
  refresh_hours integer check (refresh_hours between 1 and 720),
  status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
  try integer not null default 1,
  error jsonb,
  content_type text,
  cut boolean not null default false,
  etag text,
  last_modified text,
  requested_at timestamptz not null default now(),
  checked_at timestamptz,
  changed_at timestamptz,
  refresh_at timestamptz,
  created_at timestamptz not null default now(),
  check (num_nonnulls(url, object_id) = 1)
);

comment on table bots.sources is 'Files and addresses that bots quote from; the text of one is the document that has its id.';
comment on column bots.sources.try is 'Which of its jobs may write what was read: one more each time that it is to be read.';
comment on column bots.sources.error is 'Why it could not be read last: code, message. The text that was read before stays.';
comment on column bots.sources.cut is 'Its text is longer than what is kept of it.';
comment on column bots.sources.refresh_at is 'When it is read again; null: when somebody asks for it.';

create index sources_newest on bots.sources (bot_id, id);
create index sources_due on bots.sources (refresh_at) where refresh_at is not null and status <> 'pending';

create table bots.unanswered (
  id uuid primary key,
  bot_id uuid not null references bots.bots (id) on delete cascade,
  fingerprint text not null,
  question text not null,
  times integer not null default 1,
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  unique (bot_id, fingerprint)
);

comment on table bots.unanswered is 'Questions of its own organisation''s people to which a bot had nothing to say.';
comment on column bots.unanswered.fingerprint is 'Hash of the question without what words are written with: cases, accents, signs.';
comment on column bots.unanswered.question is 'As it was asked last.';

create index unanswered_most on bots.unanswered (bot_id, times, id);
create index unanswered_last on bots.unanswered (last_at);

-- Who waits for a person: few rows, so that an inbox reads no others.
create table bots.handovers (
  conversation_id uuid primary key references bots.conversations (id) on delete cascade,
  id uuid not null unique,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bot_id uuid not null,
  reason text not null check (reason in ('asked', 'unanswered', 'requested')),
  note text,
  last_message text not null,
  waits boolean not null default true,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table bots.handovers is 'Conversations that a person handles now; the bot is silent in them.';
comment on column bots.handovers.waits is 'The last word is not the person''s who handles it.';

create index handovers_newest on bots.handovers (org_id, id);

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
  timeouts smallint not null default 0,
  paused_until timestamptz,
  unique (bot_id, name)
);

comment on table bots.actions is 'HTTP requests that a bot may make while it answers.';
comment on column bots.actions.parameters is 'JSON Schema of the arguments: an object of plain values.';
comment on column bots.actions.triggers is 'Phrases upon which the embedded engine makes the request; a model goes by the description.';
comment on column bots.actions.secret is 'What requests are signed with (Standard Webhooks 1.0), sealed.';
comment on column bots.actions.timeouts is 'Calls that had no answer in time since the last that had one.';
comment on column bots.actions.paused_until is 'No call is made before, as its server did not answer in time.';

create index actions_newest on bots.actions (bot_id, id);

create table bots.action_calls (
  id uuid primary key,
  action_id uuid not null references bots.actions (id) on delete cascade,
  message_id uuid not null references bots.messages (id) on delete cascade,
  arguments jsonb,
  status text not null check (status in ('ok', 'failed', 'unknown')),
  http_status integer,
  answer text,
  error jsonb,
  ms integer not null,
  created_at timestamptz not null default now(),
  number smallint,
  asked_at timestamptz not null default now(),
  check ((status = 'failed') = (error is not null))
);

comment on table bots.action_calls is 'Requests that bots have made; an answer that is made anew goes on from them.';
comment on column bots.action_calls.arguments is 'What the model gave; null where that is no JSON object of plain values, or is too long.';
comment on column bots.action_calls.status is 'unknown: under way, or its worker was stopped.';
comment on column bots.action_calls.ms is 'Milliseconds that the request took.';
comment on column bots.action_calls.number is 'Its place among the calls of its message, from 1; null: no request was to be made.';
comment on column bots.action_calls.asked_at is 'When it was made last.';

create index action_calls_newest on bots.action_calls (action_id, id);
create index action_calls_message on bots.action_calls (message_id);
