create table bots.channel_messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null,
  contact text not null,
  contact_verified boolean not null default true,
  direction text not null check (direction in ('inbound', 'outbound')),
  status text not null check (status in ('waiting', 'handled', 'automatic', 'limited', 'ignored', 'opted_out', 'accepted', 'refused')),
  reason text,
  transport_id uuid,
  message_id uuid unique references bots.messages (id) on delete cascade,
  thread jsonb,
  sent_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  check ((direction = 'outbound') = (status in ('accepted', 'refused'))),
  check (direction = 'inbound' or message_id is not null)
);

comment on table bots.channel_messages is 'Messages of conversations that a channel received or sent.';
comment on column bots.channel_messages.transport_id is 'Row in whatsapp.messages, email.received or email.messages. Null if nothing was sent.';
comment on column bots.channel_messages.message_id is 'Message of the conversation. Null for inbound messages that are in no conversation.';
comment on column bots.channel_messages.thread is 'Of an email: its recipient, subject, Message-ID and References.';
comment on column bots.channel_messages.status is 'outbound: if the message was submitted. Its delivery is in the row of transport_id.';

create unique index channel_messages_transport on bots.channel_messages (transport_id) where transport_id is not null;
create index channel_messages_waiting on bots.channel_messages (channel_id, contact, sent_at, id) where status = 'waiting';
create index channel_messages_recent on bots.channel_messages (channel_id, contact, created_at) where direction = 'inbound';
create index channel_messages_list on bots.channel_messages (channel_id, id);
create index channel_messages_direction on bots.channel_messages (channel_id, direction, id);
create index channel_messages_status on bots.channel_messages (channel_id, status, id);
create index channel_messages_org on bots.channel_messages (org_id, id);
create index channel_messages_contact on bots.channel_messages (org_id, contact, id);
create index channel_messages_created_at on bots.channel_messages (created_at);

select account.fence_closed('bots.channel_messages');
select account.let_moves_pass();
