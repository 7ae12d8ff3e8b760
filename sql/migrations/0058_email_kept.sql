create table email.past_recipients (
  message_id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  to_email text not null,
  from_email text not null,
  from_name text,
  created_at timestamptz not null
);

comment on table email.past_recipients is 'Whom a message of marketing was to that is kept no more: its links to unsubscribe and to confirm go on working.';
comment on column email.past_recipients.created_at is 'When the message was accepted.';

create index past_recipients_created_at on email.past_recipients (created_at);

create table email.operator_mail (
  id uuid primary key,
  sender text not null,
  recipient text not null,
  remote_network text not null,
  content bytea not null,
  forwarded_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table email.operator_mail is 'Mail to postmaster@ and abuse@ of this installation (RFC 5321 §4.5.1, RFC 2142).';
comment on column email.operator_mail.remote_network is 'Of the server that brought it: a /24, or a /48 of IPv6.';
comment on column email.operator_mail.forwarded_at is 'When MAIL_POSTMASTER''s server took it.';

create index operator_mail_created_at on email.operator_mail (created_at);

create table email.past_asked (
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  asked_at timestamptz not null,
  primary key (org_id, email)
);

comment on table email.past_asked is 'When people were asked to confirm who are contacts no more: whoever adds them again may not ask them sooner for it.';

create index past_asked_asked_at on email.past_asked (asked_at);
