create table account.sessions (
  id uuid primary key,
  hash text not null unique,
  key_id uuid not null references account.keys (id) on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  told text
);

comment on table account.sessions is 'Browsers in which an operator signed in to the console; one is good only while its key is.';
comment on column account.sessions.hash is 'SHA-256 of the cookie in hex; the cookie itself is not kept.';
comment on column account.sessions.told is 'What the next page tells of the action before it, once.';

create index sessions_key on account.sessions (key_id);
create index sessions_expires_at on account.sessions (expires_at);
