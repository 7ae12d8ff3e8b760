-- Areas name the person of a row by the customer's own ID, so that one person is found in all of them.
alter table email.contacts add column if not exists user_id text;
alter table email.sandbox_contacts add column if not exists user_id text;

comment on column email.contacts.user_id is 'The customer''s own ID of the person. Null if the contact is not linked to a person.';
comment on column email.sandbox_contacts.user_id is 'The customer''s own ID of the person. Null if the contact is not linked to a person.';

create index if not exists contacts_user on email.contacts (org_id, user_id, id) where user_id is not null;
create index if not exists sandbox_contacts_user on email.sandbox_contacts (org_id, user_id, id) where user_id is not null;

create table email.erased_addresses (
  org_id uuid not null references account.orgs (id) on delete cascade,
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  reasons text[] not null default '{}',
  unsubscribed boolean not null default false,
  erased_at timestamptz not null default now(),
  primary key (org_id, hash)
);

comment on table email.erased_addresses is 'Hashes of addresses of erased people: imports do not add them, and their suppressions and unsubscriptions still apply.';
comment on column email.erased_addresses.reasons is 'Reasons of the suppressions that the address had.';
comment on column email.erased_addresses.unsubscribed is 'The contact had unsubscribed, which is permanent.';

create function email.address_hash(org_id uuid, email text) returns text language sql immutable parallel safe as $$
  select encode(sha256(convert_to(org_id::text || ' ' || email, 'utf8')), 'hex')
$$;

comment on function email.address_hash is 'SHA-256 of the organisation and the stored form of an address, in hex.';

create table whatsapp.recipients (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  phone text not null,
  user_id text,
  consent text check (consent in ('granted', 'denied')),
  consent_source text,
  consent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, phone),
  check ((consent is null) = (consent_at is null))
);

comment on table whatsapp.recipients is 'People that an organisation writes to by WhatsApp: whose phone number it is, and whether the person agreed.';
comment on column whatsapp.recipients.user_id is 'The customer''s own ID of the person. Null if the number is not linked to a person.';
comment on column whatsapp.recipients.consent is 'denied: templates are not sent, and other messages only after the person has written again.';

create index if not exists recipients_user on whatsapp.recipients (org_id, user_id, id) where user_id is not null;
create index if not exists recipients_newest on whatsapp.recipients (org_id, id);

alter table push.users add column if not exists opted_out_at timestamptz;
alter table push.users add column if not exists opt_out_source text;

comment on column push.users.opted_out_at is 'Since when the person receives no push messages. Null if the person has not opted out.';
comment on column push.users.opt_out_source is 'Where the person opted out.';

create index if not exists users_person on push.users (org_id, user_id, id) where user_id is not null;
create index if not exists conversations_person on bots.conversations (org_id, user_id, id) where user_id is not null;
create index if not exists people_phone on notify.people (org_id, phone, id) where phone is not null;
create index if not exists people_subject on notify.people (org_id, subject);
create index if not exists legs_number on voice.legs (number, call_id);
create index if not exists participants_identity on rooms.participants (identity, room_id);
create index if not exists waiting_identity on rooms.waiting (identity, room_id);
create index if not exists prompts_subject on identity.prompts (org_id, subject);
create index if not exists readings_subject on identity.readings (org_id, subject) where subject is not null;
create index if not exists test_messages_recipient on account.test_messages (org_id, recipient);
create index if not exists past_recipients_person on email.past_recipients (org_id, to_email);

select account.fence_closed('whatsapp.recipients');
