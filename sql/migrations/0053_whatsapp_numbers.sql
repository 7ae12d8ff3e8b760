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

create table whatsapp.number_contacts (
  number_id uuid not null references whatsapp.business_numbers (id) on delete cascade,
  wa_id text not null,
  last_inbound_at timestamptz,
  closed_at timestamptz,
  primary key (number_id, wa_id)
);

comment on table whatsapp.number_contacts is 'People as an organisation''s own number knows them: whatsapp.contacts has those of the platform''s.';

alter table whatsapp.messages
  add column if not exists number_id uuid,
  add column if not exists uploads jsonb;

alter table whatsapp.messages
  add constraint messages_number_id_fkey foreign key (number_id) references whatsapp.business_numbers (id) not valid;

comment on column whatsapp.messages.number_id is 'The organisation''s own number; null for the platform''s.';
comment on column whatsapp.messages.uploads is 'Ids at Meta of the files that it sends, by the ids of their objects.';

alter table whatsapp.templates
  add column if not exists reason text,
  add column if not exists noted_at timestamptz not null default now();

comment on column whatsapp.templates.reason is 'Why Meta has rejected it.';
comment on column whatsapp.templates.noted_at is 'When its status was last told.';

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
