create table email.imports (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null,
  kind text not null check (kind in ('suppressions', 'consents')),
  status text not null default 'queued' check (status in ('queued', 'running', 'finished', 'failed')),
  reason text,
  rows integer not null,
  imported integer not null default 0,
  existing integer not null default 0,
  invalid integer not null default 0,
  vouched_at timestamptz,
  vouched_by text,
  vouch_reason text,
  confirmed_after uuid,
  created_at timestamptz not null default now(),
  finished_at timestamptz
);

comment on table email.imports is 'Lists of suppressions or consents that are read row by row.';
comment on column email.imports.reason is 'Why the import failed.';
comment on column email.imports.vouched_by is 'The operator who vouched for the consents of this list: its contacts are confirmed.';
comment on column email.imports.confirmed_after is 'Last consent that was read to confirm its contact after the operator vouched.';

create index imports_newest on email.imports (org_id, id);
create index imports_kind on email.imports (org_id, sandbox, kind, id);
create index imports_status on email.imports (org_id, sandbox, status, id);

create table email.import_rows (
  import_id uuid not null references email.imports (id) on delete cascade,
  line integer not null,
  org_id uuid not null,
  fields jsonb not null,
  email text,
  outcome text check (outcome in ('imported', 'existing', 'unsubscribed', 'invalid')),
  reason text,
  created_at timestamptz not null default now(),
  primary key (import_id, line)
);

comment on table email.import_rows is 'Rows of a list, and what became of each.';
comment on column email.import_rows.email is 'The address in its stored form; null until it is read, and if it is invalid.';
comment on column email.import_rows.outcome is 'Null while the row waits.';

create index import_rows_created_at on email.import_rows (created_at);
create index import_rows_outcome on email.import_rows (import_id, outcome, line);
create index import_rows_email on email.import_rows (org_id, email);

create table email.consents (
  id uuid primary key,
  org_id uuid not null,
  contact_id uuid not null references email.contacts (id) on delete cascade,
  source text not null,
  given_at timestamptz not null,
  ip text,
  text_version text,
  consent_text text,
  topics text[] not null default '{}',
  import_id uuid,
  form_id uuid,
  created_at timestamptz not null default now(),
  unique (contact_id, given_at, source)
);

comment on table email.consents is 'Evidence of consent: where, when, from which address and to which text.';

create unique index consents_newest on email.consents (org_id, id);
create index consents_import on email.consents (import_id, id) where import_id is not null;
create index consents_form on email.consents (form_id, id) where form_id is not null;

create table email.sandbox_consents (
  like email.consents including all,
  foreign key (contact_id) references email.sandbox_contacts (id) on delete cascade
);

comment on table email.sandbox_consents is 'Evidence of the consent of sandbox contacts.';

create table email.consent_vouchers (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  actor text not null,
  reason text not null,
  created_at timestamptz not null default now()
);

comment on table email.consent_vouchers is 'Organisations whose lists of consents an operator vouches for: their contacts are confirmed.';

select account.fence_closed('email.imports', 'email.consents', 'email.sandbox_consents', 'email.consent_vouchers');
select account.let_moves_pass();
