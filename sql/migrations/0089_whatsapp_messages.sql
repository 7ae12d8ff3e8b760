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

create table whatsapp.business_numbers (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  phone_number_id text not null,
  account_id text not null,
  display_phone text,
  verified_name text,
  access_token text not null,
  app_secret text not null,
  verify_token text not null,
  state text not null check (state in ('pending', 'connected', 'removed')),
  subscribed boolean not null default false,
  created_at timestamptz not null default now(),
  rotated_at timestamptz,
  removed_at timestamptz
);

comment on table whatsapp.business_numbers is 'Business numbers of organisations; one that has none sends from the platform''s.';
comment on column whatsapp.business_numbers.access_token is 'Sealed, as are app_secret and verify_token; empty once the number is removed.';
comment on column whatsapp.business_numbers.state is 'pending: Meta has not yet been asked for it, and nothing goes out by it; removed: what waits for it fails.';
comment on column whatsapp.business_numbers.subscribed is 'Whether Meta has taken the number''s own address for webhooks.';

create unique index business_numbers_org on whatsapp.business_numbers (org_id) where state = 'connected';
create unique index business_numbers_phone on whatsapp.business_numbers (phone_number_id) where state = 'connected';
create index business_numbers_account on whatsapp.business_numbers (account_id) where state = 'connected';
create index business_numbers_list on whatsapp.business_numbers (org_id, id);

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
  taken_at timestamptz,
  number_id uuid references whatsapp.business_numbers (id),
  uploads jsonb
);

comment on column whatsapp.messages.phone is 'The other side in E.164.';
comment on column whatsapp.messages.content is 'The part of the Cloud API''s message that bears the name of its type.';
comment on column whatsapp.messages.fallback is 'The template that is sent in place of a message that the window, or a refusal, keeps back.';
comment on column whatsapp.messages.fallback_of is 'The free-form message that failed by webhook and in whose place this one goes out.';
comment on column whatsapp.messages.status is 'sending: the request may be under way; unknown: it was made, and no answer came.';
comment on column whatsapp.messages.taken_at is 'When WhatsApp was first known to have taken it: a person answers the last one of these that did not fail.';
comment on column whatsapp.messages.number_id is 'The organisation''s own number; null for the platform''s.';
comment on column whatsapp.messages.uploads is 'Ids at Meta of the files that it sends, by the ids of their objects.';

create index messages_org on whatsapp.messages (org_id, id);
create index messages_contact on whatsapp.messages (wa_id, id);
create index messages_fallback_of on whatsapp.messages (fallback_of) where fallback_of is not null;
create index messages_taken on whatsapp.messages (wa_id, taken_at) where taken_at is not null;
create index messages_status on whatsapp.messages (org_id, status, id);
create index messages_direction on whatsapp.messages (org_id, direction, id);
create index messages_phone on whatsapp.messages (org_id, phone, id);
create index messages_number on whatsapp.messages (number_id) where number_id is not null;

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
  reason text,
  noted_at timestamptz not null default now(),
  unique (account_id, provider_id)
);

comment on column whatsapp.templates.reason is 'Why Meta has rejected it.';
comment on column whatsapp.templates.noted_at is 'When its status was last told.';

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

create table whatsapp.number_contacts (
  number_id uuid not null references whatsapp.business_numbers (id) on delete cascade,
  wa_id text not null,
  last_inbound_at timestamptz,
  closed_at timestamptz,
  primary key (number_id, wa_id)
);

comment on table whatsapp.number_contacts is 'People as an organisation''s own number knows them: whatsapp.contacts has those of the platform''s.';

create table whatsapp.media (
  message_id uuid primary key references whatsapp.messages (id) on delete cascade,
  provider_media_id text not null,
  state text not null check (state in ('pending', 'stored', 'refused', 'failed')),
  object_id uuid,
  reason text,
  created_at timestamptz not null default now(),
  ended_at timestamptz
);

comment on table whatsapp.media is 'Files that people sent, on their way through the malware gate.';
comment on column whatsapp.media.object_id is 'In files.objects.';
comment on column whatsapp.media.reason is 'Why it was refused by the gate, or could not be fetched.';

create index media_object on whatsapp.media (object_id) where object_id is not null;
