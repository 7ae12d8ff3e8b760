-- Subjects of email that people choose one by one. A contact's choices are with the contact, so that they are read, exported and
-- deleted with it.
create table email.topics (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key text not null,
  name text not null,
  description text,
  default_state text not null check (default_state in ('subscribed', 'unsubscribed')),
  visibility text not null check (visibility in ('public', 'private')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, key)
);

comment on table email.topics is 'Subjects of email that contacts can choose.';
comment on column email.topics.default_state is 'State of contacts who have not chosen.';
comment on column email.topics.visibility is 'Private topics are shown only to contacts who are subscribed to them.';

create index topics_newest on email.topics (org_id, id);

alter table email.contacts add column topics jsonb not null default '{}';
alter table email.sandbox_contacts add column topics jsonb not null default '{}';
alter table email.messages add column topic text;
alter table email.campaigns add column topic text;
alter table email.past_recipients add column topic text;

comment on column email.contacts.topics is 'What the person chose, by the key of the topic: subscribed or unsubscribed.';
comment on column email.messages.topic is 'Key of the topic. Whoever is not subscribed to it does not get the message.';

alter table email.contact_events drop constraint contact_events_kind_check;
alter table email.contact_events drop constraint contact_events_source_check;
alter table email.contact_events add constraint contact_events_kind_check
  check (kind in ('added', 'imported', 'asked', 'confirmed', 'unsubscribed', 'topics_changed')) not valid;
alter table email.contact_events add constraint contact_events_source_check
  check (source in ('api', 'import', 'page', 'one_click', 'mail', 'complaint', 'form', 'operator')) not valid;
alter table email.sandbox_contact_events drop constraint contact_events_kind_check;
alter table email.sandbox_contact_events drop constraint contact_events_source_check;
alter table email.sandbox_contact_events add constraint contact_events_kind_check
  check (kind in ('added', 'imported', 'asked', 'confirmed', 'unsubscribed', 'topics_changed')) not valid;
alter table email.sandbox_contact_events add constraint contact_events_source_check
  check (source in ('api', 'import', 'page', 'one_click', 'mail', 'complaint', 'form', 'operator')) not valid;

select account.fence_closed('email.topics');
select account.let_moves_pass();
