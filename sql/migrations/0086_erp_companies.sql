create schema erp;

create table erp.registers (
  name text primary key,
  licence text,
  record_url text,
  companies integer not null default 0,
  import_id uuid,
  imported_at timestamptz,
  what text not null default 'companies' check (what in ('companies', 'officers'))
);

comment on table erp.registers is 'Where companies are known from. They are the installation''s, no organisation''s.';
comment on column erp.registers.record_url is 'A company''s page in the register; {code} stands for its code.';
comment on column erp.registers.companies is 'Those that its last import had; of a register of officers, these.';
comment on column erp.registers.import_id is 'The import that it is as of: an older one takes no effect any more.';

create table erp.companies (
  id uuid primary key,
  register text not null references erp.registers (name),
  jurisdiction text not null,
  code text not null,
  name text not null,
  name_norm text collate "C" not null,
  previous_names text[] not null,
  previous_norm text,
  status text not null check (status in ('active', 'in_liquidation', 'bankrupt', 'dissolved', 'unknown')),
  status_raw text,
  legal_form_code text,
  legal_form_name text,
  elf_code text,
  vat_number text,
  lei text,
  registered_at date,
  dissolved_at date,
  street text,
  city text,
  region text,
  postal_code text,
  country text,
  capital jsonb,
  activities jsonb not null,
  website text,
  missing_since timestamptz,
  updated_at timestamptz not null default now(),
  unique (jurisdiction, code)
);

comment on column erp.companies.name_norm is 'The name as it is compared: small letters without marks, punctuation and legal forms.';
comment on column erp.companies.previous_norm is 'Previous names as they are compared, a line each.';
comment on column erp.companies.missing_since is 'When its register was first imported without it.';

create index on erp.companies (code);
create index on erp.companies (vat_number) where vat_number is not null;
create index on erp.companies (lei) where lei is not null;
create index on erp.companies (name_norm, id);
create index companies_name_trigrams on erp.companies using gin (name_norm gin_trgm_ops);
create index companies_previous_trigrams on erp.companies using gin (previous_norm gin_trgm_ops)
  where previous_norm is not null;
create index on erp.companies (register);
-- Companies by one filter alone, in the order of names: each reads its page, however few companies fit it.
create index companies_status on erp.companies (status, name_norm, id);
create index companies_city on erp.companies (lower(city), name_norm, id) where city is not null;
create index companies_registered on erp.companies (registered_at) where registered_at is not null;

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
  created_at timestamptz not null default now(),
  -- What is read of a source counts for what it was told when that was fetched, and for nothing that it was told later.
  version integer not null default 1
);

comment on table erp.sources is 'Where files of registers are fetched by schedule. They are the installation''s, no organisation''s.';
comment on column erp.sources.most_bytes is 'Bytes of the file as it is fetched.';
comment on column erp.sources.sha256 is 'Of the last file that was taken, held or refused by an operator: the same one is not read again.';
comment on column erp.sources.import_id is 'The last import that it led to.';
comment on column erp.sources.version is 'How often it was told what it is.';

create index on erp.sources (next_at) where not paused;

create table erp.imports (
  id uuid primary key,
  profile text not null,
  register text not null,
  options jsonb not null,
  file_name text not null,
  object_key text,
  bytes bigint not null,
  run_id uuid,
  actor text not null,
  state text not null default 'waiting' check (state in ('waiting', 'held', 'done', 'failed')),
  counts jsonb,
  faults jsonb not null default '[]',
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  -- Imports of sources; one whose register would shrink too much is held until an operator has said what becomes of it.
  source_id uuid references erp.sources (id) on delete set null,
  validators jsonb,
  is_first boolean not null default false,
  told_to uuid,
  source_version integer
);

comment on column erp.imports.object_key is 'The file in the object storage, until it is read or forgotten.';
comment on column erp.imports.faults is 'The first lines that were left out, or of which something was, and why.';
comment on column erp.imports.validators is 'What the source told of the file, and its hash.';
comment on column erp.imports.is_first is 'Its register was not known before: its companies are no changes.';
comment on column erp.imports.told_to is 'The last organisation that was told of what it changed.';
comment on column erp.imports.source_version is 'Of its source, when its file was fetched.';

create index on erp.imports (source_id, id) where source_id is not null;

-- What an import has read, before it takes effect; a crash of the server empties it, and the exchange notices.
create unlogged table erp.staging (
  import_id uuid not null,
  line bigint not null,
  id uuid not null,
  jurisdiction text not null,
  code text not null,
  name text not null,
  name_norm text collate "C" not null,
  previous_names text[] not null,
  previous_norm text,
  status text not null,
  status_raw text,
  legal_form_code text,
  legal_form_name text,
  elf_code text,
  vat_number text,
  lei text,
  registered_at date,
  dissolved_at date,
  street text,
  city text,
  region text,
  postal_code text,
  country text,
  capital jsonb,
  activities jsonb not null,
  website text
);

create index on erp.staging (import_id);

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
