create schema account;

comment on schema account is 'Who may ask: organisations, plans, keys; and what guards every request: limits, idempotency.';

create table account.plans (
  name text primary key,
  key_requests_per_minute integer not null check (key_requests_per_minute > 0),
  key_burst integer not null check (key_burst > 0),
  org_requests_per_minute integer not null check (org_requests_per_minute > 0),
  upload_bytes bigint not null,
  storage_bytes bigint not null,
  monthly_messages integer not null,
  room_participants integer not null,
  live_channels integer not null,
  waiting_jobs integer not null,
  monthly_tokens bigint not null,
  -- A plan of the operator's own begins with the numbers of `pro`.
  visitor_requests_per_minute integer not null default 600,
  site_requests_per_minute integer not null default 60000
);

comment on column account.plans.key_burst is 'Requests that one key may make within one second.';
comment on column account.plans.upload_bytes is 'Largest single upload.';
comment on column account.plans.waiting_jobs is 'Jobs an organisation may have waiting in one pool before it is told to slow down.';
comment on column account.plans.visitor_requests_per_minute is 'Requests that one visitor (an IPv4 address, an IPv6 /64) may make with a public key.';
comment on column account.plans.site_requests_per_minute is 'Requests that all visitors may make with one public key; none counts against a server key.';

insert into account.plans
  (name, key_requests_per_minute, key_burst, org_requests_per_minute, upload_bytes, storage_bytes, monthly_messages,
   room_participants, live_channels, waiting_jobs, monthly_tokens, visitor_requests_per_minute, site_requests_per_minute)
values
  ('free', 300, 30, 600, 2147483648, 10737418240, 3000, 10, 2, 1000, 200000, 120, 3000),
  ('pro', 6000, 400, 20000, 53687091200, 1099511627776, 500000, 100, 50, 50000, 20000000, 600, 60000),
  ('unlimited', 1000000000, 1000000000, 1000000000, 671088640000, 1125899906842624, 2000000000, 1000, 1000000, 1000000000,
   1000000000000, 1000000000, 1000000000);

create table account.orgs (
  id uuid primary key,
  name text not null,
  plan text not null references account.plans (name) on delete restrict,
  created_at timestamptz not null default now()
);

create table account.keys (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  hash text not null unique,
  prefix text not null,
  name text not null,
  scopes text[] not null,
  locks jsonb not null default '{}',
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);

comment on column account.keys.hash is 'SHA-256 of the key in hex; the key itself is shown once and not kept.';
comment on column account.keys.locks is 'What the key is bound to: from_domains, app_id, origins.';

create index keys_org on account.keys (org_id, created_at);

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

create table account.idempotency (
  org_id uuid not null references account.orgs (id) on delete cascade,
  operation text not null,
  key text not null,
  hash text not null,
  reply text,
  created_at timestamptz not null default now(),
  primary key (org_id, operation, key)
);

comment on table account.idempotency is 'First answers, kept 24 hours. A row is written in the transaction of the effect it stands for.';
comment on column account.idempotency.reply is 'JSON text, not jsonb: a replay is the first answer byte by byte.';

create index idempotency_created_at on account.idempotency (created_at);

-- Unlogged: a crash of the server costs the counts of one minute, and leases cost no write-ahead log.
create unlogged table account.limits (
  bucket text primary key,
  quota integer not null,
  used integer not null,
  granted integer not null,
  ends_at timestamptz not null
);

comment on table account.limits is 'What is used of each bucket in its running window; processes take tokens from it in chunks.';
comment on column account.limits.granted is 'The size of the last chunk, so that the statement which takes it can return it.';

create index limits_ends_at on account.limits (ends_at);
