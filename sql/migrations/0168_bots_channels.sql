create table bots.channels (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bot_id uuid not null references bots.bots (id) on delete cascade,
  kind text not null check (kind in ('whatsapp', 'email')),
  number_id uuid,
  route_id uuid,
  from_email text,
  from_name text,
  silence_hours integer not null check (silence_hours between 1 and 720),
  hourly_limit integer not null check (hourly_limit between 1 and 200),
  unreadable_reply text not null,
  handover_reply text,
  paused_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((kind = 'whatsapp') = (number_id is not null)),
  check ((kind = 'email') = (route_id is not null))
);

comment on table bots.channels is 'WhatsApp numbers and inbound email routes at which a bot answers.';
comment on column bots.channels.number_id is 'Number in whatsapp.business_numbers. It can be removed while the channel exists.';
comment on column bots.channels.route_id is 'Route in email.inbound_routes. It can be deleted while the channel exists.';
comment on column bots.channels.from_email is 'Sender of replies. Null: the address that received the email.';
comment on column bots.channels.silence_hours is 'A message after this time without messages begins a new conversation.';
comment on column bots.channels.hourly_limit is 'Messages of one contact per hour that the bot answers.';
comment on column bots.channels.unreadable_reply is 'Reply to a message without text.';
comment on column bots.channels.handover_reply is 'Reply to a contact who requests a person. Null: no reply.';

create unique index channels_number on bots.channels (number_id) where number_id is not null;
create unique index channels_route on bots.channels (route_id) where route_id is not null;
create index channels_bot on bots.channels (bot_id, id);
create index channels_from on bots.channels (from_email) where from_email is not null;

select account.fence_closed('bots.channels');
select account.let_moves_pass();
