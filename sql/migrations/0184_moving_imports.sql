create schema moving;

create table moving.imports (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid not null,
  provider text not null check (provider in ('resend', 'postmark', 'sendgrid', 'onesignal', 'mux')),
  source text not null check (source in ('api', 'file')),
  parts text[] not null,
  app_id uuid,
  dry_run boolean not null,
  status text not null default 'queued' check (status in ('queued', 'reading', 'ready', 'writing', 'finished', 'failed', 'cancelled')),
  reason text,
  credential text,
  cursor jsonb not null default '{}',
  found integer not null default 0,
  imported integer not null default 0,
  existing integer not null default 0,
  invalid integer not null default 0,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on table moving.imports is 'Imports of data from other providers.';
comment on column moving.imports.credential is 'Sealed API key of the provider. Null after the import has ended.';
comment on column moving.imports.cursor is 'Position in the lists of the provider.';
comment on column moving.imports.app_id is 'Push app that receives the devices.';

create index imports_newest on moving.imports (org_id, id);
create index imports_provider on moving.imports (org_id, provider, id);
create index imports_status on moving.imports (org_id, status, id);
create index imports_ready on moving.imports (created_at) where status = 'ready';
create unique index imports_one_open on moving.imports (org_id) where status in ('queued', 'reading', 'writing');

create table moving.rows (
  import_id uuid not null references moving.imports (id) on delete cascade,
  number integer not null,
  org_id uuid not null,
  part text not null check (part in ('templates', 'suppressions', 'contacts', 'devices', 'assets')),
  external_id text not null,
  label text not null,
  user_id text,
  item jsonb,
  outcome text check (outcome in ('imported', 'existing', 'invalid')),
  reason text,
  issues jsonb not null default '[]',
  target_id text,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  primary key (import_id, number)
);

comment on table moving.rows is 'Templates, suppressions, contacts, devices and assets that an import has read, with their results.';
comment on column moving.rows.item is 'What the provider returned. Null after the row has its result.';
comment on column moving.rows.target_id is 'ID of the created object.';

create unique index rows_once on moving.rows (import_id, part, md5(external_id));
create index rows_waiting on moving.rows (import_id, due_at, number) where outcome is null;
create index rows_outcomes on moving.rows (import_id, outcome, number);
create index rows_parts on moving.rows (import_id, part, number);
create index rows_kept on moving.rows (created_at);
create index rows_labels on moving.rows (org_id, label);
create index rows_users on moving.rows (org_id, user_id) where user_id is not null;

select account.fence_closed('moving.imports');
select account.fence_closed('moving.rows');
