-- One-time codes that prove that a person has a phone number or an email address.
create schema verify;

create table verify.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  brand text,
  from_email text,
  whatsapp_template jsonb,
  sms_sender text,
  code_length integer not null default 6 check (code_length between 4 and 10),
  ttl integer not null default 600 check (ttl between 60 and 86400),
  max_attempts integer not null default 5 check (max_attempts between 1 and 10),
  max_sends integer not null default 4 check (max_sends between 1 and 10),
  resend_after integer not null default 30 check (resend_after between 5 and 3600),
  countries text[] not null default '{}',
  country_budgets jsonb not null default '{}',
  country_budget integer not null default 1000 check (country_budget between 0 and 1000000),
  per_recipient integer not null default 5 check (per_recipient between 1 and 100),
  per_network integer not null default 30 check (per_network between 1 and 100000),
  per_hour integer not null default 1000 check (per_hour between 1 and 1000000),
  guard_required boolean not null default false,
  guard_action text not null default 'verify',
  prefix_starts integer not null default 20 check (prefix_starts between 1 and 100000),
  prefix_conversion integer not null default 10 check (prefix_conversion between 0 and 100),
  prefix_block_hours integer not null default 24 check (prefix_block_hours between 1 and 720),
  updated_at timestamptz not null default now()
);

comment on column verify.settings.countries is 'Countries of phone numbers. While it is empty, no SMS is sent and no call is placed.';
comment on column verify.settings.country_budgets is 'Codes per country and day, by ISO 3166 code. Other countries have country_budget.';

create table verify.verifications (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null,
  channel text not null check (channel in ('sms', 'whatsapp', 'voice', 'email')),
  channels text[] not null,
  recipient text not null,
  user_id text,
  brand text,
  locale text,
  metadata jsonb not null default '{}',
  code_length integer not null,
  ttl integer not null,
  max_attempts integer not null,
  max_sends integer not null,
  resend_after_seconds integer not null,
  attempts integer not null default 0,
  sends integer not null default 1,
  status text not null default 'pending' check (status in ('pending', 'approved', 'failed', 'expired', 'canceled')),
  delivery text not null default 'queued' check (delivery in ('queued', 'sent', 'delivered', 'failed', 'blocked')),
  reason text,
  code_hash text,
  message_id uuid,
  country text,
  prefix text,
  ip inet,
  guarded boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  resend_at timestamptz not null,
  sent_at timestamptz,
  ended_at timestamptz
);

comment on column verify.verifications.code_hash is 'Keyed hash of the code and the ID. Null until a code is sent, and after the end.';
comment on column verify.verifications.prefix is 'Phone number without its last four digits.';

create index verifications_newest on verify.verifications (org_id, id desc);
create index verifications_key on verify.verifications (org_id, key_id, id desc) where key_id is not null;
create index verifications_status on verify.verifications (org_id, sandbox, status, id desc);
create index verifications_expired on verify.verifications (org_id, sandbox, id desc)
  where status in ('pending', 'expired');
create index verifications_channel on verify.verifications (org_id, sandbox, channel, id desc);
create index verifications_country on verify.verifications (org_id, sandbox, country, id desc) where country is not null;
create index verifications_recipient on verify.verifications (org_id, recipient, id desc);
create index verifications_user on verify.verifications (org_id, user_id, id desc) where user_id is not null;
create index verifications_prefix on verify.verifications (org_id, prefix text_pattern_ops, created_at)
  where prefix is not null and not sandbox;
create index verifications_time on verify.verifications (org_id, created_at)
  include (channel, country, prefix, status, delivery) where not sandbox;
create index verifications_age on verify.verifications (created_at);

create table verify.prefixes (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  prefix text not null,
  state text not null check (state in ('blocked', 'allowed')),
  source text not null check (source in ('automatic', 'manual')),
  starts integer not null default 0,
  approved integer not null default 0,
  created_at timestamptz not null default now(),
  ends_at timestamptz,
  unique (org_id, prefix)
);

create index prefixes_state on verify.prefixes (org_id, state, id desc);

comment on table verify.prefixes is 'Ranges of phone numbers that get no codes, or that are never blocked automatically.';

create table verify.counters (
  org_id uuid not null references account.orgs (id) on delete cascade,
  kind text not null,
  name text not null,
  starts_at timestamptz not null,
  count integer not null,
  primary key (org_id, kind, name, starts_at)
);

comment on table verify.counters is 'Codes per hour or day. The names of recipients and networks are hashes.';

create index counters_age on verify.counters (starts_at);

select account.fence_closed('verify.verifications', 'verify.settings', 'verify.prefixes');
