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
