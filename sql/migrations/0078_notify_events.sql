create schema notify;

comment on schema notify is 'What people are told of: events, their inboxes, and how they want to be told.';

create table notify.users (
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id uuid not null,
  last_number bigint not null default 0,
  forgotten bigint not null default 0,
  primary key (org_id, user_id)
);

comment on table notify.users is 'The people that events are for. Its row is locked before an inbox is changed, so that changes commit in the order of their numbers.';
comment on column notify.users.user_id is 'The customer''s own id of the person.';
comment on column notify.users.last_number is 'Number of the last change of the inbox: ids of its server-sent events.';
comment on column notify.users.forgotten is 'The last change of which something is deleted: a stream that has seen less cannot be brought up to date.';

create table notify.events (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  user_id uuid not null,
  product_key text not null,
  type text not null,
  title text not null,
  body text,
  data jsonb not null default '{}',
  url text,
  dedupe_key text,
  chosen_by text not null check (chosen_by in ('event', 'workflow', 'type', 'product', 'default')),
  channels jsonb not null,
  created_at timestamptz not null default now(),
  subject text,
  run_id uuid
);

comment on column notify.events.chosen_by is 'What chose the channels: the event itself, the preference of its type or of its product, or nothing.';
comment on column notify.events.channels is 'Each channel with whether it was used, and why not.';
comment on column notify.events.subject is 'The customer''s own id of the person where it is no UUID.';
comment on column notify.events.run_id is 'The run of a workflow that it began, or that it joined.';

create unique index events_dedupe on notify.events (org_id, user_id, product_key, dedupe_key) where dedupe_key is not null;
create index events_created_at on notify.events (created_at);
create index events_run on notify.events (run_id, id) where run_id is not null;

create table notify.inbox (
  id uuid primary key references notify.events (id) on delete cascade,
  org_id uuid not null,
  user_id uuid not null,
  product_key text not null,
  number bigint not null,
  read_number bigint,
  read_at timestamptz,
  seen_at timestamptz,
  archived_at timestamptz,
  mark_number bigint,
  shown jsonb,
  check ((read_at is null) = (read_number is null))
);

comment on table notify.inbox is 'Events as they stand in inboxes: narrow rows, as reading all of them writes each anew.';
comment on column notify.inbox.number is 'Its place among the changes of the person''s inbox.';
comment on column notify.inbox.read_number is 'The change by which it was read; all that are read at once share one.';
comment on column notify.inbox.mark_number is 'The last change by which it was seen, archived, or marked as unread again.';
comment on column notify.inbox.shown is 'What it says in place of its event: a text of a workflow.';

create index inbox_newest on notify.inbox (org_id, user_id, id);
create index inbox_unread on notify.inbox (org_id, user_id, product_key, id) where read_at is null;
create unique index inbox_number on notify.inbox (org_id, user_id, number);
create index inbox_read_number on notify.inbox (org_id, user_id, read_number) where read_number is not null;
create index inbox_unseen on notify.inbox (org_id, user_id, id) where seen_at is null and read_at is null;
create index inbox_archived on notify.inbox (org_id, user_id, id) where archived_at is not null;
create index inbox_mark_number on notify.inbox (org_id, user_id, mark_number) where mark_number is not null;

create table notify.preferences (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id uuid not null,
  product_key text not null,
  type text not null,
  channels text[] not null check (channels <@ array['in_app', 'email', 'push', 'whatsapp']),
  digest_minutes integer,
  updated_at timestamptz not null default now(),
  unique (org_id, user_id, product_key, type)
);

comment on column notify.preferences.type is 'Type of events; * is the product''s default.';
comment on column notify.preferences.digest_minutes is 'Mail is collected for so long and sent as one; null: at once.';

create index preferences_newest on notify.preferences (org_id, user_id, id);

create table notify.digests (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id uuid not null,
  product_key text not null,
  type text not null,
  due_at timestamptz not null,
  sent_at timestamptz
);

comment on table notify.digests is 'Windows in which mail to a person is collected, each by the preference that asks for it.';

create unique index digests_open on notify.digests (org_id, user_id, product_key, type) where sent_at is null;
create index digests_sent_at on notify.digests (sent_at) where sent_at is not null;

create table notify.copies (
  event_id uuid not null references notify.events (id) on delete cascade,
  org_id uuid not null,
  channel text not null check (channel in ('email', 'push', 'whatsapp')),
  digest_id uuid,
  recipient text not null,
  is_contact boolean not null default false,
  sender text,
  from_domains text[],
  status text not null default 'waiting' check (status in ('waiting', 'accepted', 'refused', 'failed')),
  reason text,
  detail text,
  message_id uuid,
  ended_at timestamptz,
  recipient_user text,
  person_id uuid,
  primary key (event_id, channel)
);

comment on table notify.copies is 'What goes out beside the inbox: one row for an event and a channel, ended in the transaction in which its message is made.';
comment on column notify.copies.recipient is 'Empty in a window: the address that the directory has at its end.';
comment on column notify.copies.is_contact is 'The address must be that of a contact who has not unsubscribed.';
comment on column notify.copies.sender is 'The address it is from; null: the organisation''s oldest verified domain.';
comment on column notify.copies.from_domains is 'The lock of the key that sent the event.';
comment on column notify.copies.reason is 'Why there is no message, in a word: that of the area that refused it.';
comment on column notify.copies.message_id is 'The message in the area that delivers it.';
comment on column notify.copies.recipient_user is 'The person''s id in the app (push) where it is not that of the event.';
comment on column notify.copies.person_id is 'Person of the directory when the event came; null if it had none, or the copy goes out immediately.';

create index copies_digest on notify.copies (digest_id) where digest_id is not null;
