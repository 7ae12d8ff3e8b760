alter table bots.conversations
  add column channel_id uuid,
  add column contact text,
  add column contact_verified boolean not null default true;

comment on column bots.conversations.channel_id is 'Channel that the contact writes to. It can be deleted. Null for conversations by API and in web pages.';
comment on column bots.conversations.contact is 'Phone number in E.164, or email address in its stored form.';
comment on column bots.conversations.contact_verified is 'False if the sender of the emails is not authenticated.';

create index conversations_channel on bots.conversations (channel_id, contact, id) where channel_id is not null;
create index conversations_contact on bots.conversations (org_id, contact, id) where contact is not null;

alter table bots.handovers drop constraint handovers_reason_check;
alter table bots.handovers add constraint handovers_reason_check
  check (reason in ('asked', 'unanswered', 'requested', 'channel'));
