-- Copies, times, tags and metadata of messages. The values of states grow: 0055 validates the checks.
alter table email.messages drop constraint messages_status_check;
alter table email.messages add constraint messages_status_check check (status in (
  'scheduled', 'queued', 'sent', 'delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'complained', 'cancelled')) not valid;
alter table email.messages
  add column recipient text not null default 'to',
  add column copy_of uuid,
  add column send_at timestamptz,
  add column cancelled_at timestamptz,
  add column tags jsonb not null default '[]',
  add column metadata jsonb;
alter table email.messages add constraint messages_recipient_check check (recipient in ('to', 'cc', 'bcc')) not valid;

comment on column email.messages.copy_of is 'Of a copy (cc, bcc): the message to the recipient of To, whose Message-ID and content it has.';
comment on column email.messages.send_at is 'When its turn is, and its Date; null: at once.';
comment on column email.messages.tags is 'Array of {name, value}, repeated by its events; email.message_tags finds messages by them.';

create index if not exists messages_from on email.messages (org_id, from_email, id);

create table email.message_tags (
  message_id uuid not null references email.messages (id) on delete cascade,
  org_id uuid not null,
  name text not null,
  value text not null,
  primary key (message_id, name)
);

comment on table email.message_tags is 'The tags of messages, by which lists are filtered: each reads its page, however many messages have the tag.';

create index message_tags_name on email.message_tags (org_id, name, message_id);
create index message_tags_value on email.message_tags (org_id, name, value, message_id);

-- The To and Cc that all recipients of a message see; null where it has one recipient.
alter table email.contents add column recipients jsonb;

comment on column email.contents.recipients is '{to, cc}: the header of a message with copies; Bcc is in none (RFC 5322 §3.6.3).';
