create schema webhooks;

comment on schema webhooks is 'Endpoints that are told of events, the events, and every delivery of one to another.';

create table webhooks.endpoints (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  area text not null,
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
  check ((previous_secret is null) = (previous_until is null)),
  check ((status = 'disabled') = (disabled_at is not null)),
  check ((leased_by is null) = (leased_until is null))
);

comment on column webhooks.endpoints.area is 'The area whose events it is told of: email, stream, files.';
comment on column webhooks.endpoints.events is 'Types of events, such as email.bounced; * is every one of its area.';
comment on column webhooks.endpoints.secret is 'whsec_ and base64, sealed.';
comment on column webhooks.endpoints.previous_secret is 'The one before the last rotation, sealed: deliveries are signed with it, too, until previous_until.';
comment on column webhooks.endpoints.failing_since is 'The first of the failed attempts since which none has succeeded.';
comment on column webhooks.endpoints.failures is 'How many they are, in a row.';
comment on column webhooks.endpoints.resume_at is 'The circuit breaker is open: nothing is delivered before, and one delivery alone then.';
comment on column webhooks.endpoints.leased_by is 'The wake-up whose job delivers to it now: one at a time, so that an endpoint that hangs takes one slot of a worker.';

create index endpoints_org on webhooks.endpoints (org_id, area, id);

create table webhooks.events (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  type text not null,
  data json not null,
  created_at timestamptz not null
);

comment on table webhooks.events is 'What endpoints are told of; an event that nobody subscribes to has no row.';
comment on column webhooks.events.id is 'The webhook-id of all its deliveries.';
comment on column webhooks.events.data is 'JSON text, not jsonb: each attempt sends the same bytes.';

create index events_created_at on webhooks.events (created_at);

create table webhooks.deliveries (
  id uuid primary key,
  org_id uuid not null,
  event_id uuid not null references webhooks.events (id) on delete cascade,
  endpoint_id uuid not null references webhooks.endpoints (id) on delete cascade,
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
);

comment on table webhooks.deliveries is 'One for each event and endpoint, with what its last attempt came to: the log.';
comment on column webhooks.deliveries.due_at is 'When a pending one is attempted next, its endpoint willing.';
comment on column webhooks.deliveries.response_head is 'The beginning of the body that was answered, at most 1 KiB.';

create index deliveries_due on webhooks.deliveries (endpoint_id, due_at) where status = 'pending';
create index deliveries_endpoint on webhooks.deliveries (endpoint_id, id);
