-- Sign-ins of programs without a browser (RFC 8628). Codes are stored as hashes.
create table if not exists account.device_logins (
  id uuid primary key,
  device_hash text not null unique,
  user_hash text not null unique,
  client_name text not null,
  scopes text[] not null,
  mode text not null check (mode in ('live', 'test')),
  network text not null,
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied', 'used')),
  interval_seconds integer not null default 5,
  polled_at timestamptz,
  org_id uuid references account.orgs (id) on delete cascade,
  user_id uuid references account.users (id) on delete cascade,
  granted jsonb,
  key_id uuid,
  decided_at timestamptz,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  check ((state = 'pending') = (decided_at is null)),
  check (granted is null or (org_id is not null and user_id is not null))
);

comment on table account.device_logins is 'Requests of programs for an API key, which a member approves or denies in the dashboard.';
comment on column account.device_logins.user_hash is 'HMAC of the code that the member enters, with the signing secret.';
comment on column account.device_logins.scopes is 'Requested scopes. Empty if the program requested none.';
comment on column account.device_logins.network is 'Network that requested the code, as a /24 or /48 prefix.';
comment on column account.device_logins.granted is 'Name, scopes, mode and expiry of the key that the member approved. The key is created when the program collects it.';

create index if not exists device_logins_open on account.device_logins (network) where state = 'pending';
create index if not exists device_logins_expires_at on account.device_logins (expires_at);
create index if not exists device_logins_org on account.device_logins (org_id);
create index if not exists device_logins_user on account.device_logins (user_id);

alter table account.keys add column if not exists client_name text;

comment on column account.keys.client_name is 'Name of the program that requested the key with a device login. It is not verified.';
