create schema whatsapp;

comment on schema whatsapp is 'Messages by WhatsApp from the platform''s business number: their statuses, the windows of contacts, templates.';

create table whatsapp.contacts (
  wa_id text primary key,
  last_inbound_at timestamptz,
  closed_at timestamptz,
  paced_until timestamptz not null default 'epoch'
);

comment on table whatsapp.contacts is 'People as the business number knows them, whatever organisation writes to them.';
comment on column whatsapp.contacts.last_inbound_at is 'Their last message: the customer service window is open for 24 hours from it.';
comment on column whatsapp.contacts.closed_at is 'When Meta said last that the window is closed (131047), which counts until they write again.';
comment on column whatsapp.contacts.paced_until is 'Read and written by the release before this one; dropped with the next.';

create table whatsapp.conversations (
  org_id uuid not null references account.orgs (id) on delete cascade,
  wa_id text not null,
  last_inbound_at timestamptz,
  paced_until timestamptz not null default 'epoch',
  primary key (org_id, wa_id)
);

comment on table whatsapp.conversations is 'What passes between one organisation and one person, of which no other organisation is told.';
comment on column whatsapp.conversations.last_inbound_at is 'The person''s last message that went to the organisation.';
comment on column whatsapp.conversations.paced_until is 'The theoretical arrival time of the generic cell rate algorithm (ITU-T I.371) by which its messages to them are paced.';

create table whatsapp.numbers (
  phone text primary key,
  wa_id text not null
);

comment on table whatsapp.numbers is 'Phone numbers whose account has other digits, as Meta told when it was written to (Argentina, Brazil, Mexico).';

create table whatsapp.messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  direction text not null check (direction in ('outbound', 'inbound')),
  phone text not null,
  wa_id text not null,
  type text not null,
  content jsonb not null,
  fallback jsonb,
  fell_back boolean not null default false,
  fallback_of uuid references whatsapp.messages (id) on delete set null,
  context_message_id text,
  client_reference text,
  status text not null
    check (status in ('received', 'queued', 'sending', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read')),
  error jsonb,
  provider_message_id text unique,
  send_at timestamptz not null default now(),
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  taken_at timestamptz
);

comment on column whatsapp.messages.phone is 'The other side in E.164.';
comment on column whatsapp.messages.content is 'The part of the Cloud API''s message that bears the name of its type.';
comment on column whatsapp.messages.fallback is 'The template that is sent in place of a message that the window, or a refusal, keeps back.';
comment on column whatsapp.messages.fallback_of is 'The free-form message that failed by webhook and in whose place this one goes out.';
comment on column whatsapp.messages.status is 'sending: the request may be under way; unknown: it was made, and no answer came.';
comment on column whatsapp.messages.taken_at is 'When WhatsApp was first known to have taken it: a person answers the last one of these that did not fail.';

create index messages_org on whatsapp.messages (org_id, id);
create index messages_contact on whatsapp.messages (wa_id, id);
create index messages_fallback_of on whatsapp.messages (fallback_of) where fallback_of is not null;
create index messages_taken on whatsapp.messages (wa_id, taken_at) where taken_at is not null;

create function whatsapp.rank(status text) returns integer language sql immutable parallel safe
  return array_position(array['queued', 'sending', 'unknown', 'accepted', 'sent', 'failed', 'delivered', 'read'], status);

comment on function whatsapp.rank is 'The order in which statuses take each other''s place, in whatever order they are told: what a device says outranks a failure.';

create table whatsapp.statuses (
  message_id uuid not null references whatsapp.messages (id) on delete cascade,
  status text not null,
  at timestamptz not null default now(),
  error jsonb,
  primary key (message_id, status)
);

create table whatsapp.accounts (
  account_id text primary key,
  synced_at timestamptz
);

comment on table whatsapp.accounts is 'Business accounts whose templates are copied here, and since when a copy is true.';

create table whatsapp.templates (
  id uuid primary key,
  account_id text not null references whatsapp.accounts (account_id) on delete cascade,
  provider_id text not null,
  name text not null,
  language text not null,
  status text not null,
  category text not null,
  parameter_format text not null,
  components jsonb not null,
  unique (account_id, provider_id)
);

create index templates_name on whatsapp.templates (account_id, name, language);

create table whatsapp.receivers (
  phone_number_id text primary key,
  org_id uuid not null references account.orgs (id) on delete cascade
);

comment on table whatsapp.receivers is 'The organisation that an operator has named for a business number: messages of people to whom nobody has written go to it.';

create table whatsapp.unclaimed (
  provider_message_id text primary key,
  phone_number_id text not null,
  wa_id text not null,
  type text not null,
  content jsonb not null,
  context_message_id text,
  sent_at timestamptz not null,
  created_at timestamptz not null default now()
);

comment on table whatsapp.unclaimed is 'Messages of people to whom nobody has written, kept until an organisation is named for the number.';

create index unclaimed_number on whatsapp.unclaimed (phone_number_id, created_at);
