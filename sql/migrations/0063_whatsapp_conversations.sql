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

insert into whatsapp.conversations (org_id, wa_id, last_inbound_at)
select org_id, wa_id, max(created_at) from whatsapp.messages where direction = 'inbound' group by org_id, wa_id;

comment on column whatsapp.contacts.paced_until is 'Read and written by the release before this one; dropped with the next.';

alter table whatsapp.messages add column taken_at timestamptz;

comment on column whatsapp.messages.taken_at is 'When WhatsApp was first known to have taken it: a person answers the last one of these that did not fail.';

update whatsapp.messages as m set taken_at = coalesce(
  (select min(at) from whatsapp.statuses as s where s.message_id = m.id and s.status in ('accepted', 'sent', 'delivered', 'read')),
  created_at)
where direction = 'outbound' and status in ('accepted', 'sent', 'delivered', 'read');

create index messages_taken on whatsapp.messages (wa_id, taken_at) where taken_at is not null;

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
