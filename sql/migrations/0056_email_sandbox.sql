-- Tables of their own, as no query of what is real can then see, change or write to what is not.
create table email.sandbox_contacts (
  like email.contacts including all,
  foreign key (org_id) references account.orgs (id) on delete cascade
);

comment on table email.sandbox_contacts is 'Contacts that sandbox keys have made: nothing is ever sent to them, and no live key sees them.';

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
