create schema people;

comment on schema people is 'People of organisations over all areas: changes of their consent, and erasures with their receipts.';

create table people.consent_changes (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id text not null,
  channel text not null check (channel in ('email', 'push', 'whatsapp', 'sms')),
  state text not null check (state in ('granted', 'denied')),
  previous_state text not null check (previous_state in ('granted', 'denied', 'pending', 'none')),
  source text not null,
  evidence jsonb not null default '{}',
  given_at timestamptz not null,
  actor text not null,
  created_at timestamptz not null default now()
);

comment on table people.consent_changes is 'Evidence of changes of consent that the organisation has reported. The state itself is in each area.';
comment on column people.consent_changes.given_at is 'When the person decided, as the organisation reports it.';
comment on column people.consent_changes.actor is 'Key or member that reported the change.';

create index consent_changes_person on people.consent_changes (org_id, user_id, id);

create table people.erasures (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id text not null,
  reason text,
  status text not null default 'queued' check (status in ('queued', 'running', 'done', 'failed')),
  identifiers jsonb,
  requested_by text not null,
  passes integer not null default 0,
  error text,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  check ((status = 'done') = (finished_at is not null))
);

comment on table people.erasures is 'Erasures of people, and their receipts.';
comment on column people.erasures.identifiers is 'Addresses and IDs by which rows are found. Null once this erasure or a later one is done.';
comment on column people.erasures.passes is 'Completed passes over all tables. The last pass found nothing.';

create index erasures_newest on people.erasures (org_id, id);
create index erasures_person on people.erasures (org_id, user_id, id);
create index erasures_status on people.erasures (org_id, status, id);
create unique index erasures_open on people.erasures (org_id, user_id) where status in ('queued', 'running');

create table people.erasure_tables (
  erasure_id uuid not null references people.erasures (id) on delete cascade,
  name text not null,
  action text not null check (action in ('deleted', 'anonymised', 'kept')),
  rows integer not null default 0,
  pass integer not null default 0,
  done_at timestamptz,
  primary key (erasure_id, name, action)
);

comment on table people.erasure_tables is 'The receipt by table. Its count is written in the transaction that changes the rows.';
comment on column people.erasure_tables.pass is 'The pass in which the table was completed last.';

create table people.erasure_objects (
  erasure_id uuid not null references people.erasures (id) on delete cascade,
  kind text not null check (kind in ('file', 'received_email')),
  object_id uuid not null,
  deleted_at timestamptz,
  primary key (erasure_id, kind, object_id)
);

comment on table people.erasure_objects is 'Stored files of the person, and when their bytes were deleted.';

select account.fence_closed('people.consent_changes', 'people.erasures');
