create table email.contacts (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  status text not null check (status in ('confirmed', 'unconfirmed', 'unsubscribed')),
  consent_source text,
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  unsubscribed_at timestamptz,
  asked_at timestamptz,
  unique (org_id, email)
);

comment on table email.contacts is 'People that organisations write to, and whether they agreed.';
comment on column email.contacts.consent_source is 'Where the person agreed; null for those who were imported and have not.';
comment on column email.contacts.asked_at is 'When the last message that asks them to confirm was queued.';

create index contacts_status on email.contacts (org_id, status, id);
create index contacts_newest on email.contacts (org_id, id);

create table email.contact_events (
  id uuid primary key,
  org_id uuid not null,
  contact_id uuid not null references email.contacts (id) on delete cascade,
  kind text not null check (kind in ('added', 'imported', 'asked', 'confirmed', 'unsubscribed')),
  source text not null check (source in ('api', 'import', 'page', 'one_click', 'mail', 'complaint')),
  message_id uuid,
  detail text,
  at timestamptz not null default now()
);

comment on table email.contact_events is 'The history of each contact''s consent.';
comment on column email.contact_events.message_id is 'The message whose link, header or mailbox was used, or that asked.';

create index contact_events_contact on email.contact_events (contact_id, id);

create table email.reconfirmations (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid not null,
  domain_id uuid not null,
  from_email text not null,
  from_name text,
  subject text not null,
  html text not null,
  text text,
  asked integer not null default 0,
  after_id uuid,
  stopped text,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);

comment on table email.reconfirmations is 'Rounds in which unconfirmed contacts are asked to confirm.';
comment on column email.reconfirmations.after_id is 'The last contact of the page that was done; the round goes on behind it.';
comment on column email.reconfirmations.stopped is 'Why it ended before all were asked.';

create index reconfirmations_org on email.reconfirmations (org_id, id);
alter table email.domains add column passed_at timestamptz;

comment on column email.domains.passed_at is 'When the last hourly pass was; checks that were asked for between two do not count.';
