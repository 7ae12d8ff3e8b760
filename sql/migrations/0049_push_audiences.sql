-- Messages to many: topics, tags, everybody; devices of people that nobody has named yet.
alter table push.users
  alter column user_id drop not null,
  add column time_zone text;

comment on column push.users.user_id is
  'The customer''s own id of the person; null for somebody who is known by one device alone, until it is claimed.';
comment on column push.users.time_zone is 'Name of the IANA database, such as Europe/Vienna: quiet hours are by it.';

alter table push.installations
  add column time_zone text,
  add column tags text[] not null default '{}';

comment on column push.installations.time_zone is 'Goes before that of its person.';
comment on column push.installations.tags is 'By which segments choose it.';

create table push.subscriptions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  app_id uuid not null references push.apps (id) on delete cascade,
  topic text not null,
  push_user_id uuid not null references push.users (id) on delete cascade,
  installation_id uuid references push.installations (id) on delete cascade,
  created_at timestamptz not null default now(),
  unique nulls not distinct (app_id, topic, push_user_id, installation_id)
);

comment on table push.subscriptions is 'Who gets what is sent to a topic: people with all of their devices, or single devices.';
comment on column push.subscriptions.installation_id is 'The one device; null for all that the person has when a message is sent.';

create index subscriptions_topic on push.subscriptions (app_id, topic, id);
create index subscriptions_user on push.subscriptions (push_user_id);
create index subscriptions_installation on push.subscriptions (installation_id) where installation_id is not null;

alter table push.messages
  alter column user_id drop not null,
  add column target text not null default 'user' check (target in ('user', 'users', 'topic', 'segment', 'all')),
  add column audience jsonb,
  add column cursor_user uuid,
  add column rate integer,
  add column paced_at timestamptz,
  add column quiet_hours jsonb;

comment on column push.messages.user_id is 'The customer''s own id of the person; null for a message to many.';
comment on column push.messages.audience is 'The ids of the people (users), the topic, or the tags (segment).';
comment on column push.messages.cursor_user is 'Of people, whose devices are found one after the other: the one whom the cursor''s device belongs to.';
comment on column push.messages.rate is 'Deliveries a second that are made of it at most.';
comment on column push.messages.paced_at is 'Before it no further deliveries are made, for the rate.';
comment on column push.messages.quiet_hours is 'from, to (HH:MM) and time_zone, that of people who have none of their own.';

create index if not exists messages_user on push.messages (org_id, user_id, id) where user_id is not null;
create index messages_many on push.messages (org_id, target, id) where target <> 'user';
