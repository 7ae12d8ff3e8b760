-- Slack, Microsoft Teams, Discord and any URL as channels of notifications, and SMS.
create table notify.connections (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  kind text not null check (kind in ('slack', 'teams', 'discord', 'url')),
  name text not null,
  url text not null,
  host text not null,
  secret text,
  is_default boolean not null default false,
  state text not null check (state in ('unverified', 'active', 'disabled')),
  reason text,
  paused_until timestamptz,
  created_at timestamptz not null default now(),
  verified_at timestamptz,
  disabled_at timestamptz
);

comment on table notify.connections is 'Incoming webhooks of chat services, and URLs that receive signed notifications.';
comment on column notify.connections.url is 'Sealed, as is secret: who knows the URL can post messages.';
comment on column notify.connections.is_default is 'True for the connection of its kind that people without their own connection use.';
comment on column notify.connections.reason is 'Reason why the last test message failed, or why the connection was disabled.';
comment on column notify.connections.paused_until is 'The server asked for no requests until this time.';

create index connections_list on notify.connections (org_id, id);
create unique index connections_default on notify.connections (org_id, kind) where is_default;

create table notify.chat_messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  connection_id uuid not null references notify.connections (id) on delete cascade,
  key_id uuid,
  event_id uuid,
  user_id text,
  product_key text not null,
  type text not null,
  title text not null,
  body text,
  url text,
  data jsonb not null default '{}',
  status text not null check (status in ('queued', 'sending', 'sent', 'unknown', 'failed')),
  error jsonb,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);

comment on column notify.chat_messages.status is 'sending: the request may be under way; unknown: it was sent, and no response came.';

create index chat_messages_list on notify.chat_messages (org_id, id);
create index chat_messages_connection on notify.chat_messages (connection_id, id);
create index chat_messages_status on notify.chat_messages (org_id, status, id);
create index chat_messages_person on notify.chat_messages (org_id, user_id) where user_id is not null;
create index chat_messages_event on notify.chat_messages (event_id) where event_id is not null;

alter table notify.people add column connection_ids uuid[] not null default '{}';

alter table notify.texts add column sms text;

comment on column notify.texts.sms is 'Short text for SMS. Null: title and body.';

alter table notify.preferences drop constraint preferences_channels_check;
alter table notify.preferences add constraint preferences_channels_check
  check (channels <@ array['in_app', 'email', 'push', 'whatsapp', 'sms', 'slack', 'teams', 'discord', 'url']) not valid;

alter table notify.copies drop constraint copies_channel_check;
alter table notify.copies add constraint copies_channel_check
  check (channel in ('email', 'push', 'whatsapp', 'sms', 'slack', 'teams', 'discord', 'url')) not valid;

alter table notify.run_steps drop constraint run_steps_channel_check;
alter table notify.run_steps add constraint run_steps_channel_check
  check (channel in ('in_app', 'email', 'push', 'whatsapp', 'sms', 'slack', 'teams', 'discord', 'url')) not valid;

alter table account.test_messages drop constraint test_messages_channel_check;
alter table account.test_messages add constraint test_messages_channel_check
  check (channel in ('email', 'push', 'whatsapp', 'sms', 'chat', 'voice', 'notify')) not valid;

select account.fence_closed('notify.connections', 'notify.chat_messages');
select account.let_moves_pass();
