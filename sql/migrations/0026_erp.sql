create schema erp;

create extension if not exists pg_trgm;

create table erp.registers (
  name text primary key,
  licence text,
  record_url text,
  companies integer not null default 0,
  import_id uuid,
  imported_at timestamptz
);

comment on table erp.registers is 'Where companies are known from. They are the installation''s, no organisation''s.';
comment on column erp.registers.record_url is 'A company''s page in the register; {code} stands for its code.';
comment on column erp.registers.companies is 'Those that its last import had.';
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
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed')),
  counts jsonb,
  faults jsonb not null default '[]',
  error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on column erp.imports.object_key is 'The file in the object storage, until it is read or forgotten.';
comment on column erp.imports.faults is 'The first lines that were left out, or of which something was, and why.';

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
