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
  user_id text,
  locale text,
  created_at timestamptz not null default now(),
  last_event bigint not null default 0,
  time_zone text,
  unique (app_id, user_id)
);

comment on column push.users.user_id is
  'The customer''s own id of the person; null for somebody who is known by one device alone, until it is claimed.';
comment on column push.users.last_event is 'Number of the last event of the person''s stream: ids of server-sent events grow by one.';
comment on column push.users.time_zone is 'Name of the IANA database, such as Europe/Vienna: quiet hours are by it.';

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
  time_zone text,
  tags text[] not null default '{}',
  unique (app_id, provider, token)
);

comment on column push.installations.token is 'Device token (apns, fcm), endpoint (webpush), or the installation''s own id (sse).';
comment on column push.installations.keys is 'p256dh and auth of a web push subscription (RFC 8291).';
comment on column push.installations.registered_at is 'Last registration: an APNs answer about an earlier time says nothing of it.';
comment on column push.installations.device_id is 'The customer''s own id of the device (sse): registering with it again is the same installation.';
comment on column push.installations.used_at is 'When it registered or opened its stream last, to the hour (sse).';
comment on column push.installations.time_zone is 'Goes before that of its person.';
comment on column push.installations.tags is 'By which segments choose it.';

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
  updated_at timestamptz not null default now(),
  variables text[]
);

comment on column push.templates.locales is 'Title, body and data by locale: {"en": {"title", "body", "data"}}.';
comment on column push.templates.variables is 'The names of its variables. A trigger writes them.';

create index templates_org on push.templates (org_id, id);

create table push.messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  push_user_id uuid,
  user_id text,
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
  ended_at timestamptz,
  target text not null default 'user' check (target in ('user', 'users', 'topic', 'segment', 'all')),
  audience jsonb,
  cursor_user uuid,
  rate integer,
  paced_at timestamptz,
  quiet_hours jsonb
);

comment on column push.messages.user_id is 'The customer''s own id of the person; null for a message to many.';
comment on column push.messages.content is 'title, body, data and image, or the rendered texts of a template by locale, and overrides by provider.';
comment on column push.messages.cursor is 'The last installation that has its delivery; expansion goes on behind it.';
comment on column push.messages.audience is 'The ids of the people (users), the topic, or the tags (segment).';
comment on column push.messages.cursor_user is 'Of people, whose devices are found one after the other: the one whom the cursor''s device belongs to.';
comment on column push.messages.rate is 'Deliveries a second that are made of it at most.';
comment on column push.messages.paced_at is 'Before it no further deliveries are made, for the rate.';
comment on column push.messages.quiet_hours is 'from, to (HH:MM) and time_zone, that of people who have none of their own.';

create index messages_org on push.messages (org_id, id);
create index messages_app on push.messages (app_id, id);
create index messages_user on push.messages (org_id, user_id, id) where user_id is not null;
create index messages_many on push.messages (org_id, target, id) where target <> 'user';

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
  -- What a browser tells of a notification that was put away unread.
  dismissed_at timestamptz,
  unique (message_id, installation_id)
);

comment on column push.deliveries.status is 'sent: the provider took it, or it is in the stream; delivered: the device said so.';
comment on column push.deliveries.reason is 'Why it is not sent, or what the last attempt met: the provider''s word or one of ours.';
comment on column push.deliveries.event is 'Its number in the person''s stream (sse).';
comment on column push.deliveries.due_at is 'When the next attempt may begin; of a leased one, when its lease ends.';
comment on column push.deliveries.leased_by is 'The job''s lease by which it is being sent: only its holder records an outcome.';
comment on column push.deliveries.dismissed_at is 'When the person put the notification away without opening it.';

create index deliveries_app on push.deliveries (app_id, id);
create index deliveries_due on push.deliveries (app_id, provider, environment, due_at) where status = 'queued';
create index deliveries_leased on push.deliveries (leased_by) where leased_by is not null;
create index deliveries_open on push.deliveries (message_id) where status = 'queued';
create index deliveries_stream on push.deliveries (installation_id, event) where provider = 'sse';
-- By both filters, and by each of them with all values of the other.
create index deliveries_filters on push.deliveries (app_id, status, provider, id);

create table push.attempts (
  id uuid not null,
  org_id uuid not null,
  message_id uuid not null constraint attempts_message_id_fkey1 references push.messages (id) on delete cascade,
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
) partition by range (message_id);

comment on table push.attempts is 'Every time that a provider was given a push; in partitions by the time of the message.';
comment on column push.attempts.outcome is 'unknown: the worker or the connection went before the answer, so the device may have it.';

-- A page of a message's deliveries has the attempts of those alone, however many devices it went to.
create index attempts_delivery on push.attempts (message_id, delivery_id);

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

create table push.subscriptions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  topic text not null,
  push_user_id uuid not null references push.users (id) on delete cascade,
  installation_id uuid references push.installations (id) on delete cascade,
  created_at timestamptz not null default now(),
  unique nulls not distinct (app_id, topic, push_user_id, installation_id)
);

comment on table push.subscriptions is 'Who gets what is sent to a topic: people with all of their devices, or single devices.';
comment on column push.subscriptions.installation_id is 'The one device; null for all that the person has when a message is sent.';

create index subscriptions_topic on push.subscriptions (app_id, topic, id);
create index subscriptions_user on push.subscriptions (push_user_id);
create index subscriptions_installation on push.subscriptions (installation_id) where installation_id is not null;

create function push.placeholders(locales jsonb) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct m.found[1] order by m.found[1]), '{}')
  from jsonb_path_query(locales, '$.**?(@.type() == "string")') as t (said)
  cross join lateral regexp_matches(t.said #>> '{}', '\{\{\s*([A-Za-z_][\w.]{0,63})\s*\}\}', 'g') as m (found)
$$;

comment on function push.placeholders is 'The names of the variables in a template''s texts, each once, in the order of the alphabet.';

create function push.write_variables() returns trigger language plpgsql as $$
begin
  new.variables := push.placeholders(new.locales);
  return new;
end
$$;

create trigger write_variables before insert or update of locales on push.templates
for each row execute function push.write_variables();
