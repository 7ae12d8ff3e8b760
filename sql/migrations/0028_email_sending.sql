create table email.templates (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  subject text not null,
  html text not null,
  text text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table email.templates is 'What messages are rendered from: {{placeholders}} take the variables of a request.';

create index templates_org on email.templates (org_id, id);

create table email.campaigns (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null,
  name text not null,
  subject text not null,
  html text not null,
  text text,
  from_email text not null,
  from_name text,
  status text not null default 'draft' check (status in ('draft', 'sending', 'paused', 'sent', 'cancelled')),
  reason text,
  recipients integer not null default 0,
  expanded integer not null default 0,
  blocked jsonb not null default '{}',
  last_contact uuid,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz
);

comment on table email.campaigns is 'One mail to every confirmed contact; its id is also that of its content.';
comment on column email.campaigns.status is 'sent: every recipient''s message is with delivery. A paused one may be sent on.';
comment on column email.campaigns.reason is 'Why it is paused, in a sentence.';
comment on column email.campaigns.recipients is 'Confirmed contacts when it was sent first.';
comment on column email.campaigns.expanded is 'Contacts that were gone through: each has a message, or is counted as blocked.';
comment on column email.campaigns.blocked is 'Contacts that get none, by why: a reason of email.suppressions, unconfirmed, unsubscribed.';
comment on column email.campaigns.last_contact is 'The last contact that was gone through: written with the messages, so that none gets two.';

create index campaigns_org on email.campaigns (org_id, id);

create table email.usage (
  org_id uuid not null references account.orgs (id) on delete cascade,
  month date not null,
  messages integer not null default 0,
  granted integer not null default 0,
  primary key (org_id, month)
);

comment on table email.usage is 'Messages of organisations by month (UTC), which their plans cap; sandbox and suppressed ones are not counted.';
comment on column email.usage.granted is 'How many the last statement was granted, so that it can return it.';

alter table email.suppressions add column id uuid not null default gen_random_uuid();

create unique index suppressions_newest on email.suppressions (org_id, id);
create index messages_to on email.messages (org_id, to_email, id);
create index messages_trouble on email.messages (org_id, status, id)
  where status in ('deferred', 'bounced', 'failed', 'suppressed', 'complained');

-- Files in base64 are not worth compressing: it took longer than all the rest of their insert.
alter table email.contents alter column attachments set storage external;
