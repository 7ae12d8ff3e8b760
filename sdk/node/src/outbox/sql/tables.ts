/** Version of the schema. A relay needs this version. `upgrade` installs it. */
export const schemaVersion = 1

/** Advisory lock of the relay that polls. While a relay holds it, `enqueue` does not notify. */
export const awakeLock = '1299727986, 1'

/** Channel on which `enqueue` notifies relays that sleep. */
export const channel = 'millrace_outbox'

/**
 * Tables. `seq` is the order of the calls of `enqueue`. `send_at` is the time that the application set. `due_at` is the time from which a relay can claim the row, so a
 * claimed row has the end of its claim there. `uncertain_since` is the time of the first attempt whose result is unknown.
 */
export const tables = `
create schema if not exists millrace;
comment on schema millrace is 'Millrace outbox';
revoke all on schema millrace from public;

create table if not exists millrace.installation (
  only_row boolean primary key default true check (only_row),
  version integer not null,
  updated_at timestamptz not null default now()
);

create table if not exists millrace.operations (
  name text primary key,
  method text not null,
  path text not null,
  params text[] not null,
  body text not null check (body in ('required', 'optional', 'none')),
  max_bytes integer not null
);

create table if not exists millrace.outbox (
  seq bigint generated always as identity primary key,
  id uuid not null default gen_random_uuid() unique,
  operation text not null,
  params jsonb not null default '{}',
  body jsonb,
  bytes integer not null,
  key text collate "C",
  state text not null check (state in ('scheduled', 'waiting', 'failed')),
  send_at timestamptz not null,
  due_at timestamptz not null,
  enqueued_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0,
  claim uuid,
  uncertain_since timestamptz,
  status integer,
  code text,
  message text,
  details jsonb,
  failed_at timestamptz
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index if not exists outbox_plain on millrace.outbox (due_at, seq) where state = 'waiting' and key is null;
create index if not exists outbox_keyed on millrace.outbox (key, seq) where state = 'waiting' and key is not null;
create index if not exists outbox_scheduled on millrace.outbox (due_at) where state = 'scheduled';
create index if not exists outbox_failed on millrace.outbox (key, seq) where state = 'failed';

create table if not exists millrace.sent (
  id uuid primary key,
  operation text not null,
  key text,
  reply jsonb,
  attempts integer not null,
  enqueued_at timestamptz not null,
  sent_at timestamptz not null default now()
);

create index if not exists sent_sent_at on millrace.sent (sent_at);

create table if not exists millrace.relays (
  id uuid primary key,
  name text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  problem text
);
`
