create schema email;

comment on schema email is 'Mail of organisations: domains it is sent from, messages, their way to the recipient, and what came of it.';

create table email.domains (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  domain text not null,
  return_path text not null,
  status text not null default 'pending' check (status in ('pending', 'verified', 'failed')),
  verified_by text check (verified_by in ('dns', 'operator')),
  checks jsonb not null default '{}',
  failed_passes integer not null default 0,
  created_at timestamptz not null default now(),
  checked_at timestamptz,
  verified_at timestamptz,
  unique (org_id, domain),
  check ((status = 'verified') = (verified_by is not null))
);

comment on column email.domains.return_path is 'Host of the envelope sender: SPF is judged by it (RFC 7208), and bounces come to its MX.';
comment on column email.domains.verified_by is 'A domain that an operator has vouched for is not judged by DNS.';
comment on column email.domains.failed_passes is 'Passes in a row in which its name servers answered, and a record was not as it must be.';

create table email.dkim_keys (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  domain_id uuid not null references email.domains (id) on delete cascade,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  private_key text not null,
  public_key text not null,
  published boolean not null default false,
  created_at timestamptz not null default now(),
  unique (domain_id, selector)
);

comment on column email.dkim_keys.private_key is 'PKCS #8 in PEM, sealed.';
comment on column email.dkim_keys.public_key is 'The value of p= (RFC 6376 §3.6.1, RFC 8463 §4.2).';
comment on column email.dkim_keys.published is 'Whether its TXT record was seen: nothing is signed with a key that is not.';

create table email.contents (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  html text,
  text text,
  reply_to text,
  headers jsonb not null default '{}',
  attachments jsonb not null default '[]',
  created_at timestamptz not null default now()
);

comment on table email.contents is 'What a message says; all messages of a campaign share one.';

create index contents_created_at on email.contents (created_at);

create table email.messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null default false,
  stream text not null check (stream in ('transactional', 'security', 'subscribed', 'repermission')),
  domain_id uuid not null,
  from_email text not null,
  from_name text,
  to_email text not null,
  subject text not null,
  content_id uuid not null,
  campaign_id uuid,
  contact_id uuid,
  template_id uuid,
  message_id text not null,
  status text not null default 'queued'
    check (status in ('queued', 'sent', 'delivered', 'deferred', 'bounced', 'failed', 'suppressed', 'complained')),
  reply_class text,
  reason text,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  delivered_at timestamptz,
  deferred_at timestamptz,
  bounced_at timestamptz,
  failed_at timestamptz,
  suppressed_at timestamptz,
  complained_at timestamptz
);

comment on table email.messages is 'One message to one recipient, and what became of it.';
comment on column email.messages.sandbox is 'Of a snd_test_ key: recorded, never delivered, in no rate and no usage.';
comment on column email.messages.message_id is 'Message-ID without brackets (RFC 5322 §3.6.4); the same on every attempt, as is Date, which is created_at.';
comment on column email.messages.reply_class is 'What the last reply that decided something meant (workers/mail).';

create index messages_org on email.messages (org_id, id);
create index messages_campaign on email.messages (campaign_id, status) where campaign_id is not null;
create index messages_contact on email.messages (contact_id, id) where contact_id is not null;
create index messages_created_at on email.messages (created_at);

create table email.deliveries (
  message_id uuid primary key references email.messages (id) on delete cascade,
  org_id uuid not null,
  pool text not null check (pool in ('transactional', 'campaign')),
  to_domain text not null,
  mx_set text,
  turn smallint not null default 0,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  give_up_at timestamptz not null,
  local_address text,
  leased_by uuid,
  leased_until timestamptz,
  check ((leased_by is null) = (leased_until is null))
);

comment on table email.deliveries is 'Messages that are still to be delivered: claimed in batches, under a lease; a row goes when its message has come to an end.';
comment on column email.deliveries.mx_set is 'The MX hosts that take mail for the domain, as one text; null until they were looked up.';
comment on column email.deliveries.turn is 'The level of the organisation''s backlog when it was added: lower goes first.';
comment on column email.deliveries.local_address is 'Where the last attempt left from: greylisting knows a sender by it.';

create index deliveries_domain on email.deliveries (pool, to_domain, turn, due_at);
create index deliveries_mx_set on email.deliveries (pool, mx_set, turn, due_at);
create index deliveries_due on email.deliveries (pool, due_at);

create table email.attempts (
  id uuid primary key,
  org_id uuid not null,
  message_id uuid not null references email.messages (id) on delete cascade,
  number integer not null,
  outcome text not null check (outcome in ('delivered', 'sent', 'deferred', 'bounced', 'failed', 'unknown')),
  reply_class text,
  mx_host text,
  mx_address text,
  pool text not null,
  local_address text,
  tls jsonb,
  replies jsonb not null default '[]',
  started_at timestamptz not null,
  ended_at timestamptz not null
);

comment on table email.attempts is 'The delivery route of messages: each attempt with every reply of the other side.';
comment on column email.attempts.outcome is 'unknown: the worker or the connection went between the final dot and its reply, so the message may have arrived.';
comment on column email.attempts.replies is 'Array of {stage, code, enhanced, text, ms}.';

create index attempts_message on email.attempts (message_id, number);

create table email.suppressions (
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  reason text not null check (reason in ('bounce', 'complaint', 'manual')),
  message_id uuid,
  detail text,
  created_at timestamptz not null default now(),
  primary key (org_id, email, reason)
);

comment on table email.suppressions is 'Addresses that an organisation''s mail is not sent to: after a bounce none, after a complaint none but security mail.';

create table email.daily (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  stream text not null,
  accepted integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  deferred integer not null default 0,
  bounced integer not null default 0,
  hard_bounced integer not null default 0,
  failed integer not null default 0,
  suppressed integer not null default 0,
  complained integer not null default 0,
  primary key (org_id, day, stream)
);

comment on table email.daily is 'Messages by the day (UTC) on which they were accepted; what happens to one later counts for that day.';
comment on column email.daily.hard_bounced is 'Bounces of an address or domain that is not there: those by which a sender is judged.';

create table email.reputation (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  marketing text not null default 'active' check (marketing in ('active', 'paused')),
  reason text,
  warned_at timestamptz,
  paused_at timestamptz,
  counted_from date
);

comment on column email.reputation.counted_from is 'Earlier days count no more: an operator has resumed marketing on this day.';
