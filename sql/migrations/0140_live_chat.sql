create table live.chats (
  channel_id uuid primary key references live.channels (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  opens text not null default 'broadcast' check (opens in ('always', 'broadcast', 'never')),
  early_minutes integer not null default 15 check (early_minutes between 0 and 1440),
  slow_seconds integer not null default 0 check (slow_seconds between 0 and 3600),
  max_length integer not null default 300 check (max_length between 1 and 500),
  history integer not null default 50 check (history between 0 and 200),
  keep_days integer not null default 30 check (keep_days between 1 and 365),
  updated_at timestamptz not null default now()
);

comment on table live.chats is 'Settings of the chat of a channel. A channel without a row has the defaults.';
comment on column live.chats.opens is 'When viewers can write: always, or while a broadcast is live, or never.';
comment on column live.chats.early_minutes is 'Minutes before a scheduled broadcast from which viewers can write.';

create table live.chat_people (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null references live.channels (id) on delete cascade,
  identity text not null,
  name text not null,
  banned_at timestamptz,
  banned_until timestamptz,
  ban_reason text,
  banned_by text,
  last_message_at timestamptz,
  burst_at timestamptz,
  burst integer not null default 0,
  created_at timestamptz not null default now(),
  unique (channel_id, identity)
);

comment on column live.chat_people.banned_until is 'Null while a ban has no end.';
comment on column live.chat_people.burst is 'Messages since burst_at, for the rate limit.';

create index chat_people_identity on live.chat_people (org_id, identity);
create index chat_people_banned on live.chat_people (channel_id, id desc) where banned_at is not null;

create table live.chat_tokens (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null references live.channels (id) on delete cascade,
  person_id uuid not null references live.chat_people (id) on delete cascade,
  name text not null,
  role text not null check (role in ('viewer', 'moderator')),
  can_clip boolean not null default false,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);

create index chat_tokens_channel on live.chat_tokens (channel_id, id desc);
create index chat_tokens_person on live.chat_tokens (person_id);
create index chat_tokens_expiry on live.chat_tokens (expires_at);
create index chat_tokens_org on live.chat_tokens (org_id);

create table live.chat_messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null references live.channels (id) on delete cascade,
  broadcast_id uuid,
  person_id uuid references live.chat_people (id) on delete cascade,
  name text not null,
  role text not null check (role in ('viewer', 'moderator', 'host')),
  text text not null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  deleted_by text
);

comment on column live.chat_messages.person_id is 'Null for messages of the organisation.';
comment on column live.chat_messages.text is 'Empty after the message was deleted.';

create index chat_messages_channel on live.chat_messages (channel_id, id desc);
create index chat_messages_person on live.chat_messages (person_id, id desc) where person_id is not null;
create index chat_messages_org on live.chat_messages (org_id);

select account.fence_closed('live.chats', 'live.chat_people', 'live.chat_tokens', 'live.chat_messages');
