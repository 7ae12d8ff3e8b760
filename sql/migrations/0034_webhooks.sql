alter table webhooks.endpoints
  alter column area drop not null,
  add column name text,
  add column mode text check (mode in ('live', 'test')),
  add column paused_at timestamptz;

comment on column webhooks.endpoints.area is 'The area whose events it is told of: email, stream, files, push; null for all.';
comment on column webhooks.endpoints.events is 'Types of events, such as email.bounced, email.* and *; of one with an area never of another.';
comment on column webhooks.endpoints.mode is 'Null for events of both modes; those of sandbox keys are test.';
comment on column webhooks.endpoints.paused_at is 'Since then nothing is delivered, and what happens waits.';

alter table webhooks.events add column sample boolean not null default false;

comment on table webhooks.events is 'What endpoints are told of; one that nobody subscribes to has a row only where webhooks.settings says so.';
comment on column webhooks.events.sample is 'It was sent as a test: nothing has happened.';

create table webhooks.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  keep_events boolean not null default false
);

comment on table webhooks.settings is 'What an organisation wants of its events; without a row, what is usual.';
comment on column webhooks.settings.keep_events is 'Events are kept without a subscriber, too, so that they can be listed and told to endpoints that come later.';
