-- What an organisation knows of the people it writes to, and says to each of them.
alter table email.contacts
  add column name text,
  add column attributes jsonb not null default '{}',
  add column tags text[] not null default '{}';
alter table email.sandbox_contacts
  add column name text,
  add column attributes jsonb not null default '{}',
  add column tags text[] not null default '{}';

comment on column email.contacts.attributes is 'What the organisation knows of the person: an object of at most 4 KB.';
comment on column email.contacts.tags is 'At most 50, each once, in order.';

create table email.segments (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  match text not null check (match in ('all', 'any')),
  conditions jsonb not null,
  groups jsonb not null default '[]',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table email.segments is 'Contacts by what is known of them: looked up anew whenever they are counted or written to.';
comment on column email.segments.groups is 'Conditions that count as one, each with a match of its own.';

create index segments_org on email.segments (org_id, id);

alter table email.campaigns
  add column preheader text,
  add column segment_id uuid,
  add column segment jsonb,
  add column send_at timestamptz,
  add column ended_at timestamptz;

comment on column email.campaigns.segment_id is 'Whom it is for; null for every confirmed contact.';
comment on column email.campaigns.segment is 'The segment as it was when the sending began: a change midway changes no recipient.';
comment on column email.campaigns.ended_at is 'When the last of its messages had come to an end.';

alter table email.campaigns drop constraint campaigns_status_check;
alter table email.campaigns add constraint campaigns_status_check
  check (status in ('draft', 'scheduled', 'sending', 'paused', 'sent', 'cancelled')) not valid;

-- Nobody was told of the end of those that were sent before, and nobody is to be told of it now.
update email.campaigns set ended_at = finished_at where status = 'sent';

create index campaigns_scheduled on email.campaigns (send_at) where status = 'scheduled';
create index campaigns_unended on email.campaigns (finished_at) where status = 'sent' and ended_at is null;

create table email.merges (
  message_id uuid primary key references email.messages (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  fields jsonb not null,
  created_at timestamptz not null default now()
);

comment on table email.merges is 'What the fields of a campaign stand for in each of its messages, as it was when that was made.';

create index merges_org on email.merges (org_id);
create index merges_created_at on email.merges (created_at);
