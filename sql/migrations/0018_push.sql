create schema push;

comment on schema push is 'Notifications to people: apps, their users and installations, messages, and what became of each on each device.';

create table push.apps (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  created_at timestamptz not null default now()
);

create index apps_org on push.apps (org_id, id);

create table push.credentials (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  provider text not null check (provider in ('apns', 'fcm', 'webpush')),
  environment text not null check (environment in ('production', 'sandbox')),
  facts jsonb not null,
  secret text not null,
  created_at timestamptz not null default now(),
  check_state text check (check_state in ('ok', 'failed', 'unreachable')),
  check_reason text,
  checked_at timestamptz,
  failures integer not null default 0,
  open_until timestamptz,
  open_reason text,
  proven_at timestamptz,
  unique (app_id, provider, environment)
);

comment on column push.credentials.facts is 'What is no secret: key_id, team_id and topic (apns), project_id (fcm), public_key and subject (webpush).';
comment on column push.credentials.secret is 'The private key or service account, sealed.';
comment on column push.credentials.check_state is 'What the provider made of it when it was set.';
comment on column push.credentials.open_until is 'The circuit breaker: until then nothing is sent with it.';
comment on column push.credentials.proven_at is 'When the provider first took a push with it: tokens that do not fit it are the devices'' own from then on.';

create table push.users (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  user_id text not null,
  locale text,
  created_at timestamptz not null default now(),
  last_event bigint not null default 0,
  unique (app_id, user_id)
);

comment on column push.users.user_id is 'The customer''s own id of the person.';
comment on column push.users.last_event is 'Number of the last event of the person''s stream: ids of server-sent events grow by one.';

create table push.installations (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  push_user_id uuid not null references push.users (id) on delete cascade,
  provider text not null check (provider in ('apns', 'fcm', 'webpush', 'sse')),
  environment text not null default 'production' check (environment in ('production', 'sandbox')),
  token text not null,
  keys jsonb,
  platform text,
  locale text,
  status text not null default 'active' check (status in ('active', 'invalidated')),
  invalidated_reason text,
  invalidated_at timestamptz,
  registered_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  device_id text,
  used_at timestamptz not null default now(),
  unique (app_id, provider, token)
);

comment on column push.installations.token is 'Device token (apns, fcm), endpoint (webpush), or the installation''s own id (sse).';
comment on column push.installations.keys is 'p256dh and auth of a web push subscription (RFC 8291).';
comment on column push.installations.registered_at is 'Last registration: an APNs answer about an earlier time says nothing of it.';
comment on column push.installations.device_id is 'The customer''s own id of the device (sse): registering with it again is the same installation.';
comment on column push.installations.used_at is 'When it registered or opened its stream last, to the hour (sse).';

create index installations_user on push.installations (push_user_id, id) where status = 'active';
create index installations_app on push.installations (app_id, id);
create unique index installations_device on push.installations (app_id, device_id) where device_id is not null;
create index installations_unused on push.installations (used_at) where provider = 'sse';
create index installations_invalidated on push.installations (invalidated_at) where status = 'invalidated';

create table push.templates (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  locales jsonb not null,
  default_locale text not null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on column push.templates.locales is 'Title, body and data by locale: {"en": {"title", "body", "data"}}.';

create index templates_org on push.templates (org_id, id);

create table push.messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  push_user_id uuid,
  user_id text not null,
  content jsonb not null,
  priority integer not null,
  collapse_key text,
  dry_run boolean not null default false,
  status text not null default 'queued'
    check (status in ('scheduled', 'queued', 'sending', 'sent', 'failed', 'cancelled', 'expired', 'no_devices')),
  cursor uuid,
  expanded boolean not null default false,
  created_at timestamptz not null default now(),
  send_at timestamptz not null default now(),
  expires_at timestamptz not null,
  ended_at timestamptz
);

comment on column push.messages.content is 'title, body, data and image, or the rendered texts of a template by locale, and overrides by provider.';
comment on column push.messages.cursor is 'The last installation that has its delivery; expansion goes on behind it.';

create index messages_org on push.messages (org_id, id);
create index messages_app on push.messages (app_id, id);

create table push.deliveries (
  id uuid primary key,
  org_id uuid not null,
  app_id uuid not null,
  message_id uuid not null references push.messages (id) on delete cascade,
  installation_id uuid not null,
  push_user_id uuid not null,
  provider text not null,
  environment text not null,
  platform text,
  status text not null default 'queued'
    check (status in ('queued', 'sent', 'delivered', 'failed', 'expired', 'cancelled')),
  reason text,
  event bigint,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  leased_by uuid,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  displayed_at timestamptz,
  opened_at timestamptz,
  unique (message_id, installation_id)
);

comment on column push.deliveries.status is 'sent: the provider took it, or it is in the stream; delivered: the device said so.';
comment on column push.deliveries.reason is 'Why it is not sent, or what the last attempt met: the provider''s word or one of ours.';
comment on column push.deliveries.event is 'Its number in the person''s stream (sse).';
comment on column push.deliveries.due_at is 'When the next attempt may begin; of a leased one, when its lease ends.';
comment on column push.deliveries.leased_by is 'The job''s lease by which it is being sent: only its holder records an outcome.';

create index deliveries_app on push.deliveries (app_id, id);
create index deliveries_due on push.deliveries (app_id, provider, environment, due_at) where status = 'queued';
create index deliveries_leased on push.deliveries (leased_by) where leased_by is not null;
create index deliveries_open on push.deliveries (message_id) where status = 'queued';
create index deliveries_stream on push.deliveries (installation_id, event) where provider = 'sse';

create table push.attempts (
  id uuid primary key,
  org_id uuid not null,
  message_id uuid not null references push.messages (id) on delete cascade,
  delivery_id uuid not null,
  number integer not null,
  outcome text not null check (outcome in ('sent', 'retry', 'invalid_token', 'rejected', 'credential', 'unknown')),
  provider_status integer,
  reason text,
  retry_after_seconds double precision,
  provider_message_id text,
  latency_ms double precision,
  error text,
  created_at timestamptz not null default now()
);

comment on column push.attempts.outcome is 'unknown: the worker or the connection went before the answer, so the device may have it.';

create index attempts_message on push.attempts (message_id, id);

create table push.daily (
  org_id uuid not null,
  app_id uuid not null references push.apps (id) on delete cascade,
  day date not null,
  provider text not null,
  platform text not null default '',
  status text not null,
  reason text not null default '',
  count bigint not null default 0,
  primary key (app_id, day, provider, platform, status, reason)
);

comment on table push.daily is 'Deliveries by the day (UTC) on which they were made and by what became of them; a delivery counts once for each status it came to.';
