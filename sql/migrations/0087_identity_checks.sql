create schema identity;

comment on schema identity is 'What is proven of people: checks, and the links by which they hand in what is asked for.';

create table identity.checks (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  subject text not null,
  requirement text not null,
  status text not null check (status in ('submitted', 'verified', 'rejected')),
  method text not null check (method in ('upload', 'consent', 'operator', 'api', 'webhook')),
  object_id uuid,
  reason_code text,
  reason text,
  verified_at timestamptz,
  expires_at timestamptz,
  reported_at timestamptz,
  updated_at timestamptz not null default now(),
  unique (org_id, subject, requirement),
  check ((status = 'verified') = (verified_at is not null)),
  check ((status = 'rejected') = (reason_code is not null))
);

comment on table identity.checks is 'How a subject stands with a requirement of the catalogue.';
comment on column identity.checks.subject is 'The subject identifier at the customer''s identity provider; empty: the organisation itself.';
comment on column identity.checks.method is 'How it came to its status.';
comment on column identity.checks.object_id is 'The object of the files area that was handed in; its organisation may delete it.';
comment on column identity.checks.reported_at is 'When the provider whose webhook was last taken says it happened: an earlier one changes nothing.';

create index checks_submitted on identity.checks (updated_at, id) where status = 'submitted';
-- What an organisation has to decide.
create index checks_org_submitted on identity.checks (org_id, updated_at, id) where status = 'submitted';

create table identity.prompts (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  subject text not null,
  requirement text not null,
  return_to text,
  uploads integer not null default 0,
  object_id uuid,
  expires_at timestamptz not null,
  used_at timestamptz
);

comment on table identity.prompts is 'Links by which a subject meets one requirement, once.';
comment on column identity.prompts.object_id is 'The latest object whose upload was begun by it.';

create index prompts_expires_at on identity.prompts (expires_at);

-- What machines read on documents that were handed in: facts beside the pictures, for who decides.
create table identity.readings (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  object_id uuid not null unique,
  subject text,
  status text not null check (status in ('waiting', 'read', 'unread')),
  reason text check (reason in ('reader_unavailable', 'reader_failed', 'format_not_read', 'unreadable_picture', 'too_many_pixels', 'too_small', 'blurred', 'no_lines', 'unclear')),
  facts jsonb,
  checks jsonb,
  number_hash text,
  requested_at timestamptz not null default now(),
  read_at timestamptz,
  check ((status = 'unread') = (reason is not null)),
  check ((status = 'read') = (facts is not null)),
  check ((status = 'read') = (checks is not null)),
  check ((status = 'waiting') = (read_at is null))
);

comment on table identity.readings is 'What was read in the machine-readable lines of a document; gone with its picture.';
comment on column identity.readings.object_id is 'The object of the files area that shows the document.';
comment on column identity.readings.subject is 'Who has handed it in; null while they have not.';
comment on column identity.readings.number_hash is 'SHA-256 of organisation, issuing state and document number: who hands in one of the same hash shows the same document.';

create index readings_number_hash on identity.readings (org_id, number_hash) where number_hash is not null;

create function identity.erase_reading() returns trigger language plpgsql as $$
begin
  delete from identity.readings where object_id = old.id;
  return null;
end
$$;

create trigger erase_reading after update of deleted_at on files.objects for each row
  when (old.product_key = 'identity' and new.deleted_at is not null) execute function identity.erase_reading();

create trigger erase_reading_of_row after delete on files.objects for each row
  when (old.product_key = 'identity') execute function identity.erase_reading();
