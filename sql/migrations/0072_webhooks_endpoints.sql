create schema webhooks;

comment on schema webhooks is 'Endpoints that are told of events, the events, and every delivery of one to another.';

create table webhooks.endpoints (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  area text,
  url text not null,
  events text[] not null,
  secret text not null,
  previous_secret text,
  previous_until timestamptz,
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text,
  disabled_at timestamptz,
  failing_since timestamptz,
  failures integer not null default 0,
  resume_at timestamptz,
  leased_by uuid,
  leased_until timestamptz,
  created_at timestamptz not null default now(),
  name text,
  mode text check (mode in ('live', 'test')),
  paused_at timestamptz,
  check ((previous_secret is null) = (previous_until is null)),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((leased_by is null) = (leased_until is null))
);

comment on column webhooks.endpoints.area is 'The area whose events it is told of: email, stream, files, push; null for all.';
comment on column webhooks.endpoints.events is 'Types of events, such as email.bounced, email.* and *; of one with an area never of another.';
comment on column webhooks.endpoints.secret is 'whsec_ and base64, sealed.';
comment on column webhooks.endpoints.previous_secret is 'The one before the last rotation, sealed: deliveries are signed with it, too, until previous_until.';
comment on column webhooks.endpoints.failing_since is 'The first of the failed attempts since which none has succeeded.';
comment on column webhooks.endpoints.failures is 'How many they are, in a row.';
comment on column webhooks.endpoints.resume_at is 'The circuit breaker is open: nothing is delivered before, and one delivery alone then.';
comment on column webhooks.endpoints.leased_by is 'The wake-up whose job delivers to it now: one at a time, so that an endpoint that hangs takes one slot of a worker.';
comment on column webhooks.endpoints.mode is 'Null for events of both modes; those of sandbox keys are test.';
comment on column webhooks.endpoints.paused_at is 'Since then nothing is delivered, and what happens waits.';

create index endpoints_org on webhooks.endpoints (org_id, area, id);

create table webhooks.events (
  id uuid primary key,
  org_id uuid not null constraint events_org_id_fkey1 references account.orgs (id) on delete cascade,
  type text not null,
  data json not null,
  created_at timestamptz not null,
  sample boolean not null default false
) partition by range (id);

comment on table webhooks.events is
  'What endpoints are told of, in partitions by the time of the id; one that nobody subscribes to has a row only where webhooks.settings says so.';
comment on column webhooks.events.id is 'The webhook-id of all its deliveries.';
comment on column webhooks.events.data is 'JSON text, not jsonb: each attempt sends the same bytes.';
comment on column webhooks.events.sample is 'It was sent as a test: nothing has happened.';

create index events_created_at on webhooks.events (created_at);
-- Apart from what changes the table, so that its events can be read while the index is made.
create index events_org on webhooks.events (org_id, id);
create index events_type on webhooks.events (org_id, type, id);

create table webhooks.deliveries (
  id uuid not null,
  org_id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null constraint deliveries_endpoint_id_fkey1 references webhooks.endpoints (id) on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  attempted_at timestamptz,
  response_status integer,
  latency_ms integer,
  response_head text,
  error text,
  created_at timestamptz not null default now(),
  unique (event_id, endpoint_id)
) partition by range (event_id);

comment on table webhooks.deliveries is
  'One for each event and endpoint, with what its last attempt came to: the log. A partition is for the events of the one with the same bounds, and its foreign key says so: both go together.';
comment on column webhooks.deliveries.due_at is 'When a pending one is attempted next, its endpoint willing.';
comment on column webhooks.deliveries.response_head is 'The beginning of the body that was answered, at most 1 KiB.';

create index deliveries_due on webhooks.deliveries (endpoint_id, due_at) where status = 'pending';
create index deliveries_endpoint on webhooks.deliveries (endpoint_id, id);
create index deliveries_status on webhooks.deliveries (endpoint_id, status, id);

create table webhooks.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  keep_events boolean not null default false
);

comment on table webhooks.settings is 'What an organisation wants of its events; without a row, what is usual.';
comment on column webhooks.settings.keep_events is 'Events are kept without a subscriber, too, so that they can be listed and told to endpoints that come later.';
