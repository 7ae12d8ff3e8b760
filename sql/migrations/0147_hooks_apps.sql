create schema hooks;

comment on schema hooks is 'Webhooks that organisations send to their own customers. Endpoints, messages and deliveries are in the schema webhooks.';

create table hooks.apps (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  uid text,
  name text not null,
  metadata jsonb not null default '{}',
  rate_limit integer check (rate_limit > 0),
  rate_per text check (rate_per in ('second', 'minute')),
  window_at timestamptz,
  window_count integer not null default 0,
  disabled_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, uid),
  check ((rate_limit is null) = (rate_per is null))
);

comment on table hooks.apps is 'Customers of an organisation that receive its webhooks.';
comment on column hooks.apps.uid is 'ID of the organisation for this customer.';
comment on column hooks.apps.rate_limit is 'Maximum number of attempts to all endpoints per second or minute.';
comment on column hooks.apps.window_at is 'Start of the current second or minute, with the number of its attempts in window_count.';
comment on column hooks.apps.disabled_at is 'Since then nothing is delivered. Messages wait.';

create index apps_org on hooks.apps (org_id, id);

create table hooks.event_types (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  description text,
  feature_group text,
  schema json,
  example json,
  archived_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, name)
);

comment on column hooks.event_types.schema is 'JSON Schema of the payload. Null accepts any object.';

create index event_types_org on hooks.event_types (org_id, id);

create table hooks.event_ids (
  app_id uuid not null references hooks.apps (id) on delete cascade,
  event_id text not null,
  org_id uuid not null,
  message_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (app_id, event_id)
);

comment on table hooks.event_ids is 'IDs of the organisation for its messages. An ID cannot be used twice while it is stored.';

create index event_ids_created_at on hooks.event_ids (created_at);
create index event_ids_org on hooks.event_ids (org_id);

alter table webhooks.endpoints
  add column app_id uuid references hooks.apps (id) on delete cascade,
  add column description text,
  add column filters jsonb,
  add column channels text[],
  add column headers text,
  add column header_names text[],
  add column rate_limit integer,
  add column rate_per text,
  add column window_at timestamptz,
  add column window_count integer not null default 0,
  add constraint endpoints_app_check check (app_id is null or area is null) not valid;

comment on column webhooks.endpoints.app_id is 'Customer of the organisation that owns the endpoint. Null: an endpoint of the organisation.';
comment on column webhooks.endpoints.filters is 'Conditions on the payload. A message is delivered only if all are true.';
comment on column webhooks.endpoints.headers is 'Additional headers as a JSON object, sealed. Their names are in header_names.';

alter table webhooks.events
  add column app_id uuid,
  add column event_id text,
  add column tags text[],
  add column channels text[],
  add column deliver_at timestamptz,
  add column payload_until timestamptz,
  add column payload_deleted_at timestamptz;

comment on column webhooks.events.app_id is 'Customer of the organisation to whom the message is sent. Null: an event of the organisation.';
comment on column webhooks.events.payload_until is 'Time at which the payload is deleted. Null: with the message.';

select account.fence_closed('hooks.apps', 'hooks.event_types', 'hooks.event_ids');
select account.let_moves_pass();
