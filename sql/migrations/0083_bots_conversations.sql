create extension if not exists btree_gin;

create schema bots;

comment on schema bots is 'Bots that answer from their documents, and conversations with them.';

create table bots.bots (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  tagline text,
  description text,
  category text,
  languages text[] not null default '{}',
  avatar_url text,
  version integer not null default 1,
  retention_days integer check (retention_days > 0),
  popularity bigint not null default 0,
  published_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  handover boolean not null default false
);

comment on column bots.bots.version is 'The version that new conversations begin with.';
comment on column bots.bots.popularity is 'Conversations of the last 30 days, counted by the hour.';
comment on column bots.bots.published_at is 'Since when others find it and may talk to it; null: its organisation alone.';
comment on column bots.bots.handover is 'Whether it hands a conversation over to a person when asked for one, or when it has nothing to say twice running.';

create index bots_newest on bots.bots (org_id, id);
create index bots_popular on bots.bots (popularity desc, id desc) where published_at is not null;
create index bots_recent on bots.bots (published_at desc, id desc) where published_at is not null;
-- By parts of words, as `ilike '%…%'` asks: pages of the directory would otherwise read every published bot.
create index bots_texts on bots.bots using gin (name gin_trgm_ops, tagline gin_trgm_ops, description gin_trgm_ops)
  where published_at is not null;
create index bots_category_popular on bots.bots (category, popularity desc, id desc) where published_at is not null;
create index bots_category_recent on bots.bots (category, published_at desc, id desc) where published_at is not null;
create index bots_languages on bots.bots using gin (languages) where published_at is not null;

create table bots.versions (
  bot_id uuid not null references bots.bots (id) on delete cascade,
  version integer not null,
  template_key text,
  template_version integer,
  system_prompt text not null,
  greeting text,
  fallback text not null,
  starter_questions text[] not null default '{}',
  variables jsonb not null default '[]',
  variable_values jsonb not null default '{}',
  temperature real,
  max_tokens integer not null,
  created_at timestamptz not null default now(),
  primary key (bot_id, version),
  check ((template_key is null) = (template_version is null))
);

comment on table bots.versions is 'What a bot is told of itself, never changed once written: a conversation keeps the version that it began with.';
comment on column bots.versions.system_prompt is 'With placeholders; never part of an answer of the API.';

create table bots.conversations (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bot_id uuid not null,
  bot_version integer not null,
  user_id text,
  variables jsonb not null default '{}',
  last_seq integer not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  closed_at timestamptz,
  foreign key (bot_id, bot_version) references bots.versions (bot_id, version) on delete cascade
);

comment on table bots.conversations is 'Its row is locked while messages are added, so that they commit in the order of their seq.';
comment on column bots.conversations.org_id is 'Whose key began it, which is not always whose bot it is.';
comment on column bots.conversations.user_id is 'The customer''s own id of the person.';
comment on column bots.conversations.closed_at is 'Since when nothing more is said in it.';

create index conversations_bot on bots.conversations (bot_id, updated_at);
create index conversations_created_at on bots.conversations (created_at);
create index conversations_user on bots.conversations (bot_id, user_id, id) where user_id is not null;

create table bots.messages (
  id uuid primary key,
  org_id uuid not null,
  bot_id uuid not null,
  conversation_id uuid not null references bots.conversations (id) on delete cascade,
  seq integer not null,
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  status text not null check (status in ('pending', 'completed', 'failed')),
  metadata jsonb,
  streamed boolean not null default false,
  try integer not null default 1,
  generation integer not null default 0,
  citations jsonb not null default '[]',
  finish_reason text,
  engine text,
  model text,
  usage jsonb,
  error jsonb,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  author text,
  unique (conversation_id, seq),
  check (role = 'assistant' or status = 'completed'),
  check ((status = 'pending') = (ended_at is null)),
  check ((status = 'failed') = (error is not null))
);

comment on table bots.messages is 'An answer stands here from the moment of its question, directly behind it, and is pending until a worker has written it.';
comment on column bots.messages.streamed is 'Somebody follows the answer as it comes: its text is written to bots.chunks.';
comment on column bots.messages.try is 'Which of its jobs may answer or fail it: one more each time that a failed answer is tried again.';
comment on column bots.messages.generation is 'How often the answer was begun; only the last one may end it.';
comment on column bots.messages.error is 'Why there is no answer: code, upstream_status, retryable.';
comment on column bots.messages.author is 'Who of the organisation has answered in the bot''s place; null: the bot.';

create index messages_newest on bots.messages (org_id, bot_id, conversation_id, seq);
create index messages_pending on bots.messages (conversation_id, seq) where status = 'pending';
create index messages_created_at on bots.messages (created_at);

create unlogged table bots.chunks (
  message_id uuid not null references bots.messages (id) on delete cascade,
  generation integer not null,
  n integer not null,
  text text not null,
  primary key (message_id, generation, n)
);

comment on table bots.chunks is 'Text of pending answers, for those who follow them; gone when the answer has ended, and expendable.';

create table bots.documents (
  id uuid primary key,
  bot_id uuid not null references bots.bots (id) on delete cascade,
  title text not null,
  url text,
  text text not null,
  characters integer not null generated always as (length(text)) stored,
  created_at timestamptz not null default now()
);

comment on table bots.documents is 'What a bot may quote.';

create index documents_newest on bots.documents (bot_id, id);

create table bots.passages (
  document_id uuid not null references bots.documents (id) on delete cascade,
  place integer not null,
  bot_id uuid not null,
  start integer not null,
  text text not null,
  characters integer not null generated always as (length(text)) stored,
  stems text[] not null,
  primary key (document_id, place)
);

comment on table bots.passages is 'Read by the release before this one; nothing reads it now.';
comment on column bots.passages.start is 'Where it begins in its document, in UTF-16 units.';
comment on column bots.passages.stems is 'Of its words and those of its document''s title.';

create index passages_stems on bots.passages using gin (bot_id, stems);

-- Each word counts once whichever stemmer knows its language; of a stem seven letters are kept, behind which most endings of the
-- languages lie that have no stemmer here.
create function bots.stems(text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct left(w.lexeme, 7)), '{}')
  from (values ('simple'), ('english'), ('german'), ('french'), ('spanish'), ('russian')) as c (name)
  cross join lateral unnest(to_tsvector(c.name::regconfig, $1)) as w
$$;

comment on function bots.stems is 'The stems of all words of a text, by the stemmers of five languages and by none.';

-- Passages end where a paragraph does, else a sentence, else a word. `start` counts UTF-16 units, as citations do.
create function bots.split(document text)
returns table (place integer, start integer, text text) language plpgsql immutable parallel safe as $$
declare
  rest text := document;
  piece text;
begin
  place := 0;
  start := 0;
  while rest <> '' loop
    piece := left(rest, 1200);
    if length(rest) > 1200 then
      piece := coalesce(
        substring(piece from '^.{200}.{200}.*\n\s*\n'),
        substring(piece from '^.{200}.{200}.*[.!?…。！？]["''”»)]?\s'),
        substring(piece from '^.{200}.{200}.*\s'),
        piece);
    end if;
    text := piece;
    return next;
    rest := substr(rest, length(piece) + 1);
    place := place + 1;
    start := start + length(piece) + length(regexp_replace(piece, '[^\U00010000-\U0010FFFF]', '', 'g'));
  end loop;
end
$$;

create function bots.make_passages() returns trigger language plpgsql as $$
begin
  insert into bots.passages (document_id, place, bot_id, start, text, stems)
  select new.id, p.place, new.bot_id, p.start, p.text, bots.stems(new.title || ' ' || p.text)
  from bots.split(new.text) as p;
  return null;
end
$$;
