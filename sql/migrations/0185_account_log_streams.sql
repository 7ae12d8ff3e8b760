-- Continuous export of the audit log, the events and the request log to servers of the organisation.
create table account.log_streams (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('s3', 'otlp', 'syslog', 'splunk')),
  settings jsonb not null,
  secrets text not null,
  sources text[] not null check (cardinality(sources) > 0 and sources <@ array['audit', 'events', 'requests']),
  event_types text[] not null,
  request_classes smallint[] not null,
  batch_seconds integer not null check (batch_seconds between 1 and 900),
  created_by_kind text not null check (created_by_kind in ('key', 'user', 'operator', 'system')),
  created_by text,
  created_by_name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  paused_at timestamptz,
  wake_at timestamptz not null default now(),
  leased_by uuid,
  leased_until timestamptz,
  failures integer not null default 0,
  failing_since timestamptz,
  failing_told_at timestamptz,
  last_error text,
  last_error_at timestamptz,
  last_sent_at timestamptz
);

comment on table account.log_streams is 'Servers of organisations that receive the audit log, the events and the request log.';
comment on column account.log_streams.settings is 'Settings of the kind, without secrets.';
comment on column account.log_streams.secrets is 'Secrets of the kind as JSON, encrypted.';
comment on column account.log_streams.wake_at is 'Time of the next look for records: the end of a batch, or of the pause after a failure.';

create index log_streams_org on account.log_streams (org_id, id desc);
create index log_streams_wake on account.log_streams (wake_at) where paused_at is null;

create table account.log_stream_positions (
  stream_id uuid not null references account.log_streams (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  source text not null check (source in ('audit', 'events', 'requests')),
  number bigint not null,
  sent bigint not null default 0,
  set_aside bigint not null default 0,
  lost bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (stream_id, source)
);

comment on table account.log_stream_positions is 'How far each stream has sent each source.';
comment on column account.log_stream_positions.number is 'Number of the last record that was sent, set aside or lost.';

create index log_stream_positions_source on account.log_stream_positions (org_id, source, number);

-- Records commit in another order than their IDs. A record gets its number after its commit, so no reader passes a record
-- that is not visible yet.
create table account.log_stream_counters (
  org_id uuid not null references account.orgs (id) on delete cascade,
  source text not null check (source in ('events', 'requests')),
  number bigint not null default 0,
  primary key (org_id, source)
);

comment on table account.log_stream_counters is 'Last number of an organisation''s records by source. The audit log has its own numbers.';

create table account.log_stream_queue (
  org_id uuid not null,
  source text not null check (source in ('events', 'requests')),
  id uuid not null,
  number bigint,
  created_at timestamptz not null default now(),
  primary key (org_id, source, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

comment on table account.log_stream_queue is 'IDs of records that streams of the organisation have not sent yet.';
comment on column account.log_stream_queue.number is 'Null until the record has a number.';

create index log_stream_queue_number on account.log_stream_queue (org_id, source, number) where number is not null;
create index log_stream_queue_fresh on account.log_stream_queue (org_id, source) where number is null;
create index log_stream_queue_created_at on account.log_stream_queue (created_at);

create table account.log_stream_rejects (
  id uuid primary key,
  stream_id uuid not null references account.log_streams (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  source text not null,
  number bigint not null,
  record_id text not null,
  reason text not null,
  created_at timestamptz not null default now(),
  unique (stream_id, source, number)
);

comment on table account.log_stream_rejects is 'Records that the server of a stream rejects, one by one.';

create index log_stream_rejects_stream on account.log_stream_rejects (stream_id, id desc);
create index log_stream_rejects_created_at on account.log_stream_rejects (created_at);
create index log_stream_rejects_org on account.log_stream_rejects (org_id);

select account.let_moves_pass();
