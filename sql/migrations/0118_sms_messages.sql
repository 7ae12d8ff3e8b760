create schema sms;

comment on schema sms is 'Text messages by SMS through the providers of organisations, and the people who do not want any.';

create table sms.providers (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  kind text not null check (kind in ('twilio', 'vonage', 'http')),
  sender text,
  settings jsonb not null default '{}',
  secrets text not null,
  per_second integer not null check (per_second between 1 and 1000),
  is_default boolean not null default false,
  state text not null check (state in ('active', 'removed')),
  paced_until timestamptz not null default 'epoch',
  created_at timestamptz not null default now(),
  rotated_at timestamptz,
  removed_at timestamptz
);

comment on table sms.providers is 'Connections of organisations to companies that send text messages.';
comment on column sms.providers.sender is 'Phone number or name from which messages are sent. Null if the provider chooses it.';
comment on column sms.providers.secrets is 'Sealed JSON object. After the connection was removed, only the secret of callbacks, and empty after 7 days.';
comment on column sms.providers.paced_until is 'Time from which the next message can be sent.';

create index providers_org on sms.providers (org_id, id);
create unique index providers_default on sms.providers (org_id) where is_default and state = 'active';

create table sms.messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  direction text not null check (direction in ('outbound', 'inbound')),
  provider_id uuid references sms.providers (id),
  phone text not null,
  sender text,
  text text not null,
  is_sensitive boolean not null default false,
  encoding text not null check (encoding in ('gsm7', 'ucs2')),
  segments integer not null,
  keyword text check (keyword in ('stop', 'start', 'help')),
  client_reference text,
  status text not null
    check (status in ('received', 'queued', 'sending', 'unknown', 'sent', 'failed', 'undelivered', 'delivered')),
  error jsonb,
  provider_message_id text,
  slot_at timestamptz,
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);

comment on column sms.messages.phone is 'Phone number of the person in E.164.';
comment on column sms.messages.sender is 'Number or name of the organisation: the sender of an outbound message, the recipient of an inbound one.';
comment on column sms.messages.is_sensitive is 'True if the text contains a secret, such as a code. The text is deleted when the provider has it.';
comment on column sms.messages.status is 'sending: the request may be under way; unknown: it was sent, and no response came.';
comment on column sms.messages.slot_at is 'Time at which the rate of the provider allows the message.';

create index messages_org on sms.messages (org_id, id);
create index messages_status on sms.messages (org_id, status, id);
create index messages_direction on sms.messages (org_id, direction, id);
create index messages_phone on sms.messages (org_id, phone, id);
create index messages_provider on sms.messages (provider_id, id);
create index messages_reference on sms.messages (org_id, client_reference, id) where client_reference is not null;
create index messages_answers on sms.messages (org_id, phone, keyword, created_at)
  where direction = 'outbound' and keyword is not null;
create unique index messages_provider_message on sms.messages (provider_id, provider_message_id)
  where provider_message_id is not null;

create function sms.rank(status text) returns integer language sql immutable parallel safe
  return array_position(array['queued', 'sending', 'unknown', 'sent', 'failed', 'undelivered', 'delivered'], status);

comment on function sms.rank is 'Order in which statuses replace each other, in any order of their reports: a delivery ranks above a failure.';

create table sms.statuses (
  message_id uuid not null references sms.messages (id) on delete cascade,
  status text not null,
  at timestamptz not null default now(),
  error jsonb,
  primary key (message_id, status)
);

create table sms.opt_outs (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  phone text not null,
  sender text not null default '',
  source text not null check (source in ('keyword', 'api', 'provider')),
  keyword text,
  created_at timestamptz not null default now(),
  unique (org_id, phone, sender)
);

comment on table sms.opt_outs is 'People to whom an organisation does not send text messages.';
comment on column sms.opt_outs.sender is 'Sender to which the opt-out is limited. Empty for all senders of the organisation.';
comment on column sms.opt_outs.keyword is 'Word that the person sent.';

comment on column sms.opt_outs.phone is 'Phone number in E.164, or its hash if the person was erased.';

create function sms.phone_hash(org_id uuid, phone text) returns text language sql immutable parallel safe
  return encode(sha256(convert_to(org_id::text || ' ' || phone, 'utf8')), 'hex');

comment on function sms.phone_hash is 'SHA-256 of the organisation and a phone number, in hex.';

create index opt_outs_list on sms.opt_outs (org_id, id);
create index opt_outs_source on sms.opt_outs (org_id, source, id);

create table sms.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  countries text[],
  allow_premium boolean not null default false,
  stop_scope text not null default 'organisation' check (stop_scope in ('organisation', 'sender')),
  stop_text text,
  start_text text,
  help_text text,
  updated_at timestamptz not null default now()
);

comment on column sms.settings.countries is 'Countries to which messages are sent. Null: the country of the sender''s number.';

alter table account.test_messages drop constraint test_messages_channel_check;
alter table account.test_messages add constraint test_messages_channel_check
  check (channel in ('email', 'push', 'whatsapp', 'sms', 'voice', 'notify')) not valid;

select account.fence_closed('sms.providers', 'sms.messages', 'sms.opt_outs', 'sms.settings');
select account.let_moves_pass();
