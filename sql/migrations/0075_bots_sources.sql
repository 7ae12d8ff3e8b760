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

-- Of a book there is no such vector: it may have a megabyte at most. Nothing has read it for long.
alter table bots.documents drop column search;

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

alter table bots.bots add column handover boolean not null default false;

comment on column bots.bots.handover is 'Whether it hands a conversation over to a person when asked for one, or when it has nothing to say twice running.';

alter table bots.conversations add column closed_at timestamptz;

comment on column bots.conversations.closed_at is 'Since when nothing more is said in it.';

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

alter table bots.messages add column author text;

comment on column bots.messages.author is 'Who of the organisation has answered in the bot''s place; null: the bot.';
