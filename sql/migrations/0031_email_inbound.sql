create table email.inbound (
  id uuid primary key,
  kind text not null check (kind in ('bounce', 'report', 'reply', 'complaint', 'feedback', 'unsubscribe')),
  org_id uuid references account.orgs (id) on delete cascade,
  message_id uuid,
  remote_address text not null,
  detail text,
  created_at timestamptz not null default now()
);

comment on table email.inbound is 'Mail that came back: bounces, complaints, wishes to be unsubscribed, and what changed nothing.';
comment on column email.inbound.kind is
  'report: of a delivery that has not failed; reply: a vacation notice or the like; feedback: none of ours, or no complaint.';

create index inbound_created_at on email.inbound (created_at);
create index inbound_message on email.inbound (message_id) where message_id is not null;

create index domains_return_path on email.domains (return_path);

-- Operators look addresses up over all organisations.
create index suppressions_email on email.suppressions (email collate "C", org_id, reason);
