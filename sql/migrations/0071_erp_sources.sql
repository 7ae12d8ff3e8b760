create table erp.sources (
  id uuid primary key,
  name text not null unique,
  profile text not null,
  register text not null,
  url text not null,
  options jsonb not null,
  every_seconds integer not null check (every_seconds between 300 and 31622400),
  most_bytes bigint not null,
  paused boolean not null default false,
  etag text,
  last_modified text,
  sha256 text,
  import_id uuid,
  checked_at timestamptz,
  next_at timestamptz not null default now(),
  failures integer not null default 0,
  failed_at timestamptz,
  error text,
  created_at timestamptz not null default now()
);

comment on table erp.sources is 'Where files of registers are fetched by schedule. They are the installation''s, no organisation''s.';
comment on column erp.sources.most_bytes is 'Bytes of the file as it is fetched.';
comment on column erp.sources.sha256 is 'Of the last file that was taken, held or refused by an operator: the same one is not read again.';
comment on column erp.sources.import_id is 'The last import that it led to.';

create index on erp.sources (next_at) where not paused;

-- Imports of sources; one whose register would shrink too much is held until an operator has said what becomes of it.
alter table erp.imports
  add column source_id uuid references erp.sources (id) on delete set null,
  add column validators jsonb,
  add column is_first boolean not null default false,
  add column told_to uuid,
  drop constraint imports_state_check,
  add constraint imports_state_check check (state in ('waiting', 'held', 'done', 'failed'));

comment on column erp.imports.validators is 'What the source told of the file, and its hash.';
comment on column erp.imports.is_first is 'Its register was not known before: its companies are no changes.';
comment on column erp.imports.told_to is 'The last organisation that was told of what it changed.';

create index on erp.imports (source_id, id) where source_id is not null;

alter table erp.registers add column what text not null default 'companies' check (what in ('companies', 'officers'));

comment on column erp.registers.companies is 'Those that its last import had; of a register of officers, these.';

create table erp.changes (
  import_id uuid not null,
  id bigint generated always as identity,
  kind text not null check (kind in ('added', 'changed', 'removed')),
  jurisdiction text not null,
  code text not null,
  created_at timestamptz not null default now(),
  primary key (import_id, id)
);

comment on table erp.changes is 'Which companies an import has changed; those of the first import of a register are not listed.';

create index on erp.changes (created_at);

create table erp.officers (
  register text not null references erp.registers (name),
  jurisdiction text not null,
  code text not null,
  digest text not null,
  kind text not null check (kind in ('person', 'organisation')),
  name text not null,
  role_code text,
  role text,
  since date,
  until date,
  primary key (jurisdiction, code, register, digest)
);

comment on table erp.officers is 'Who acts for companies, as far as a register tells: names and roles, no birthdays, codes or addresses of persons.';
comment on column erp.officers.digest is 'Of all that is told of this officer: one that has not changed stays.';

create index on erp.officers (register);

create unlogged table erp.staged_officers (
  import_id uuid not null,
  jurisdiction text not null,
  code text not null,
  digest text not null,
  kind text not null,
  name text not null,
  role_code text,
  role text,
  since date,
  until date
);

create index on erp.staged_officers (import_id);
