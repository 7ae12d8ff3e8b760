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
  -- What an organisation knows of the people it writes to, and says to each of them.
  name text,
  attributes jsonb not null default '{}',
  tags text[] not null default '{}',
  -- Local parts as they were given: stored forms are lower case, and a server may tell them apart (RFC 5321 §2.4).
  written text,
  unique (org_id, email)
);

comment on table email.contacts is 'People that organisations write to, and whether they agreed.';
comment on column email.contacts.consent_source is 'Where the person agreed; null for those who were imported and have not.';
comment on column email.contacts.asked_at is 'When the last message that asks them to confirm was queued.';
comment on column email.contacts.attributes is 'What the organisation knows of the person: an object of at most 4 KB.';
comment on column email.contacts.tags is 'At most 50, each once, in order.';
comment on column email.contacts.written is 'The address as the organisation wrote it last, to which mail goes; null where that is email.';

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

create table email.suppressions (
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  reason text not null check (reason in ('bounce', 'complaint', 'manual')),
  message_id uuid,
  detail text,
  created_at timestamptz not null default now(),
  id uuid not null default gen_random_uuid(),
  primary key (org_id, email, reason)
);

comment on table email.suppressions is 'Addresses that an organisation''s mail is not sent to: after a bounce none, after a complaint none but security mail.';

create unique index suppressions_newest on email.suppressions (org_id, id);
-- Operators look addresses up over all organisations.
create index suppressions_email on email.suppressions (email collate "C", org_id, reason);
create index suppressions_reason on email.suppressions (org_id, reason, id);

create table email.strikes (
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  reply_class text not null,
  strikes integer not null default 1,
  last_at timestamptz not null default now(),
  primary key (org_id, email, reply_class)
);

comment on table email.strikes is 'Refusals that suppress an address only when they come again.';

create table email.past_recipients (
  message_id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  to_email text not null,
  from_email text not null,
  from_name text,
  created_at timestamptz not null
);

comment on table email.past_recipients is 'Whom a message of marketing was to that is kept no more: its links to unsubscribe and to confirm go on working.';
comment on column email.past_recipients.created_at is 'When the message was accepted.';

create index past_recipients_created_at on email.past_recipients (created_at);

create table email.past_asked (
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  asked_at timestamptz not null,
  primary key (org_id, email)
);

comment on table email.past_asked is 'When people were asked to confirm who are contacts no more: whoever adds them again may not ask them sooner for it.';

create index past_asked_asked_at on email.past_asked (asked_at);

-- Tables of their own, as no query of what is real can then see, change or write to what is not.
create table email.sandbox_contacts (
  like email.contacts including all,
  foreign key (org_id) references account.orgs (id) on delete cascade
);

comment on table email.sandbox_contacts is 'Contacts that sandbox keys have made: nothing is ever sent to them, and no live key sees them.';
comment on column email.sandbox_contacts.written is 'The address as the organisation wrote it last; null where that is email.';

create table email.sandbox_contact_events (
  like email.contact_events including all,
  foreign key (contact_id) references email.sandbox_contacts (id) on delete cascade
);

comment on table email.sandbox_contact_events is 'The history of their consent.';

create table email.sandbox_messages (
  message_id uuid primary key references email.messages (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bytes integer not null,
  created_at timestamptz not null default now()
);

comment on table email.sandbox_messages is 'Messages of sandbox keys that are kept, which no plan counts: by these an organisation''s are.';

create index sandbox_messages_org on email.sandbox_messages (org_id) include (bytes);
create index sandbox_messages_created_at on email.sandbox_messages (created_at);

create table email.segments (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  match text not null check (match in ('all', 'any')),
  conditions jsonb not null,
  groups jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table email.segments is 'Contacts by what is known of them: looked up anew whenever they are counted or written to.';
comment on column email.segments.groups is 'Conditions that count as one, each with a match of its own.';

create index segments_org on email.segments (org_id, id);

create table email.merges (
  message_id uuid primary key references email.messages (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  fields jsonb not null,
  created_at timestamptz not null default now()
);

comment on table email.merges is 'What the fields of a campaign stand for in each of its messages, as it was when that was made.';

create index merges_org on email.merges (org_id);
create index merges_created_at on email.merges (created_at);
