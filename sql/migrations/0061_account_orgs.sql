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
  site_requests_per_minute integer not null default 60000,
  -- A plan of the operator's own goes on as it is.
  video_lines integer not null default 1080
);

comment on column account.plans.key_burst is 'Requests that one key may make within one second.';
comment on column account.plans.upload_bytes is 'Largest single upload.';
comment on column account.plans.waiting_jobs is 'Jobs an organisation may have waiting in one pool before it is told to slow down.';
comment on column account.plans.visitor_requests_per_minute is 'Requests that one visitor (an IPv4 address, an IPv6 /64) may make with a public key.';
comment on column account.plans.site_requests_per_minute is 'Requests that all visitors may make with one public key; none counts against a server key.';
comment on column account.plans.video_lines is 'Lines of the largest rendition: the short side of the picture.';

insert into account.plans
  (name, key_requests_per_minute, key_burst, org_requests_per_minute, upload_bytes, storage_bytes, monthly_messages,
   room_participants, live_channels, waiting_jobs, monthly_tokens, visitor_requests_per_minute, site_requests_per_minute, video_lines)
values
  ('free', 300, 30, 600, 2147483648, 10737418240, 3000, 10, 2, 1000, 200000, 120, 3000, 1080),
  ('pro', 6000, 400, 20000, 53687091200, 1099511627776, 500000, 100, 50, 50000, 20000000, 600, 60000, 2160),
  ('unlimited', 1000000000, 1000000000, 1000000000, 671088640000, 1125899906842624, 2000000000, 1000, 1000000, 1000000000,
   1000000000000, 1000000000, 1000000000, 2160);

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
  revoked_at timestamptz,
  mode text not null default 'live' check (mode in ('live', 'test')),
  created_by text,
  expires_at timestamptz,
  rate_per_minute integer check (rate_per_minute > 0),
  networks cidr[],
  note text,
  expiry_told_at timestamptz,
  -- What a key has made ends with it, unless an owner confirms it.
  made_by_key uuid
);

comment on column account.keys.hash is 'The hash of one of its secrets, for processes that do not know account.key_secrets.';
comment on column account.keys.locks is 'What the key is bound to: from_domains, app_id, origins.';
comment on column account.keys.mode is 'What a test key sends is recorded and not delivered.';
comment on column account.keys.created_by is 'Who made it: the kind of actor and its id.';
comment on column account.keys.rate_per_minute is 'Requests it may make within a minute, beside its plan''s limit.';
comment on column account.keys.networks is 'Where requests with it must come from; null is anywhere.';
comment on column account.keys.expiry_told_at is 'When webhooks were told that the key ends soon; empty again when its end is moved.';
comment on column account.keys.made_by_key is 'The key that made it, with which it ends; null for one that a member made or an owner has confirmed.';

create index keys_org on account.keys (org_id, created_at);
create index keys_expires_at on account.keys (expires_at) where revoked_at is null and expiry_told_at is null;
-- Lists by one of their filters: each reads its page, however few of an organisation's rows fit it and however old they are.
create index keys_revoked on account.keys (org_id, id) where revoked_at is not null;
create index keys_in_force on account.keys (org_id, id) where revoked_at is null;
create index keys_of_app on account.keys (org_id, (locks ->> 'app_id'), id)
  where prefix = 'bt_site_' and revoked_at is null;
create index keys_made_by_key on account.keys (made_by_key) where made_by_key is not null;

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

create table account.key_secrets (
  id uuid primary key,
  key_id uuid not null references account.keys (id) on delete cascade,
  hash text not null unique,
  start text not null,
  keep_hours integer check (keep_hours between 0 and 168),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  first_used_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

comment on table account.key_secrets is 'What authenticates as a key: while it is rotated, more than one.';
comment on column account.key_secrets.hash is 'SHA-256 of the secret in hex; the secret itself is shown once and not kept.';
comment on column account.key_secrets.start is 'How the secret begins, to tell it from others: its prefix, and four characters where they are known.';
comment on column account.key_secrets.keep_hours is 'How long the secrets before it are good after its first use; null when that does not end them.';

create index key_secrets_key on account.key_secrets (key_id);

-- A process of the release before inserts keys without a secret.
create function account.copy_secret() returns trigger language plpgsql as $$
begin
  if new.prefix = 'snd_test_' and new.mode <> 'test' then
    update account.keys set mode = 'test' where id = new.id;
  end if;
  insert into account.key_secrets (id, key_id, hash, start, created_at, first_used_at, last_used_at)
  values (new.id, new.id, new.hash, new.prefix, new.created_at, new.last_used_at, new.last_used_at)
  on conflict (hash) do nothing;
  return null;
end
$$;

create trigger copy_secret after insert on account.keys for each row execute function account.copy_secret();

create function account.forget_expiry_told() returns trigger language plpgsql as $$
begin
  new.expiry_told_at := null;
  return new;
end
$$;

create trigger forget_expiry_told before update of expires_at on account.keys
  for each row when (old.expires_at is distinct from new.expires_at) execute function account.forget_expiry_told();

-- Processes that remember a key forget it when it ends or may do less.
create function account.tell_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_keys_changed', coalesce(to_jsonb(new)->>'key_id', to_jsonb(new)->>'id'));
  return null;
end
$$;

create trigger tell_key_changed after update of revoked_at, expires_at, networks, rate_per_minute, locks, scopes, made_by_key on account.keys
for each row when (old.* is distinct from new.* and coalesce(current_setting('millrace.move', true), '') <> 'on') execute function account.tell_key_changed();

create trigger tell_key_changed after update of revoked_at, expires_at on account.key_secrets
for each row when (old.* is distinct from new.* and coalesce(current_setting('millrace.move', true), '') <> 'on') execute function account.tell_key_changed();
