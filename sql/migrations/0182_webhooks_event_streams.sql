-- A client that follows the event stream of an organisation must miss no event. Events without a webhook are stored
-- while an organisation has a row here whose time is not over.
create table if not exists webhooks.event_streams (
  org_id uuid not null references account.orgs (id) on delete cascade,
  mode text not null check (mode in ('all', 'test')),
  since bigint not null,
  expired bigint not null default 0,
  until timestamptz not null,
  primary key (org_id, mode)
);

comment on table webhooks.event_streams is 'Organisations whose events are followed by clients, or were followed in the last 24 hours.';
comment on column webhooks.event_streams.mode is '`all`: all events are stored for the stream. `test`: only test events.';
comment on column webhooks.event_streams.since is 'Position from which no event is missing, except expired events.';
comment on column webhooks.event_streams.expired is 'Highest position whose event has expired.';
comment on column webhooks.event_streams.until is 'Events are stored for the stream until this time. Connected clients extend it.';

create index if not exists event_streams_until on webhooks.event_streams (until);

create sequence if not exists webhooks.stream_positions;

-- Events commit in another order than their IDs. A position is assigned after the commit, by one transaction per
-- organisation at a time. So a client that has read a position never misses a smaller one.
create table if not exists webhooks.streamed_events (
  event_id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  position bigint,
  test boolean not null,
  created_at timestamptz not null default now()
);

comment on table webhooks.streamed_events is 'Events of the stream, in the order in which clients receive them.';
comment on column webhooks.streamed_events.position is 'Null until the first reader after the commit assigns it.';
comment on column webhooks.streamed_events.test is 'True for test events and for samples.';

create unique index if not exists streamed_events_position on webhooks.streamed_events (org_id, position) where position is not null;
create index if not exists streamed_events_new on webhooks.streamed_events (org_id, event_id) where position is null;
create index if not exists streamed_events_created_at on webhooks.streamed_events (created_at);
