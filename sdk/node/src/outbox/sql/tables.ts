/** Version of the schema. A relay needs this version. `upgrade` installs it. */
export const schemaVersion = 1

/** Advisory lock of the relay that polls. While a relay holds it, `enqueue` does not notify. */
export const awakeLock = '1299727986, 1'

/** Advisory lock of an installation. */
export const installLock = '1299727986, 2'

/** Channel on which `enqueue` notifies relays that sleep. */
export const channel = 'millrace_outbox'

/**
 * Tables, created once. A later version adds its changes after them. `seq` is the order of the calls of `enqueue`.
 * `send_at` is the time that the application set. `due_at` is the time from which a relay can claim the row, so a claimed
 * row has the end of its claim there. `uncertain_since` is the time of the first attempt whose result is unknown.
 */
export const tables = `
do $tables$
begin
-- \`create index if not exists\` would wait for every transaction that has added a row, and keep all others waiting.
if to_regclass('millrace.installation') is not null then
  return;
end if;

create schema millrace;
comment on schema millrace is 'Millrace outbox';
revoke all on schema millrace from public;

create table millrace.installation (
  only_row boolean primary key default true check (only_row),
  version integer not null,
  updated_at timestamptz not null default now()
);

create table millrace.operations (
  name text primary key,
  method text not null,
  path text not null,
  params text[] not null,
  body text not null check (body in ('required', 'optional', 'none')),
  max_bytes integer not null,
  alias text
);

create table millrace.outbox (
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

create index outbox_plain on millrace.outbox (due_at, seq) where state = 'waiting' and key is null;
create index outbox_keyed on millrace.outbox (key, seq) where state = 'waiting' and key is not null;
create index outbox_scheduled on millrace.outbox (due_at) where state = 'scheduled';
create index outbox_failed on millrace.outbox (key, seq) where state = 'failed';

create table millrace.sent (
  id uuid primary key,
  operation text not null,
  key text,
  reply jsonb,
  attempts integer not null,
  enqueued_at timestamptz not null,
  sent_at timestamptz not null default now()
);

create index sent_sent_at on millrace.sent (sent_at);

create table millrace.relays (
  id uuid primary key,
  name text not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  problem text
);
end
$tables$;
`
