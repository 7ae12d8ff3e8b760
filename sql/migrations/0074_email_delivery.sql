-- A row's lease is its connection's: one row to renew for all that a turn holds, and one place to see that its worker is gone.
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
  losses smallint not null default 0,
  sending_losses smallint not null default 0,
  stage text check (stage in ('making', 'sending'))
);

comment on table email.deliveries is 'Messages that are still to be delivered: claimed in batches, under a lease; a row goes when its message has come to an end.';
comment on column email.deliveries.mx_set is 'The MX hosts that take mail for the domain, as one text; null until they were looked up.';
comment on column email.deliveries.turn is 'The level of the organisation''s backlog when it was added: lower goes first.';
comment on column email.deliveries.local_address is 'Where it leaves from, until a block: greylisting knows a sender by it. An empty text: the system''s choice.';
comment on column email.deliveries.leased_by is 'The connection (email.connections) that took it; a lease ends with its connection, or with that one''s worker.';
comment on column email.deliveries.losses is 'Workers that went while they made it, since its last attempt, and the first that went while it was at it; with two it fails for good.';
comment on column email.deliveries.sending_losses is 'Workers that went while they sent it, after one of losses; with five it is given up, as it may have arrived.';
comment on column email.deliveries.stage is 'Of a message with losses: what is done with it under the present lease.';

create index deliveries_mx_set on email.deliveries (pool, mx_set, turn, due_at);
-- With the MX set, so that those of a domain whose set is not known yet are found without the rest of its backlog. What is due is
-- counted once a minute (tasks/email/rewake), and found by domain and MX set; an index of its own would cost each insert.
create index deliveries_domain on email.deliveries (pool, to_domain, mx_set, turn, due_at);
create index deliveries_org on email.deliveries (org_id, pool);

create table email.attempts (
  id uuid not null,
  org_id uuid not null,
  message_id uuid not null constraint attempts_message_id_fkey1 references email.messages (id) on delete cascade,
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
) partition by range (message_id);

comment on table email.attempts is
  'The delivery route of messages: each attempt with every reply of the other side; in partitions by the time of the message.';
comment on column email.attempts.outcome is 'unknown: the worker or the connection went between the final dot and its reply, so the message may have arrived.';
comment on column email.attempts.replies is 'Array of {stage, code, enhanced, text, ms}.';

create index attempts_message on email.attempts (message_id, number);

create table email.mx_sets (
  pool text not null check (pool in ('transactional', 'campaign')),
  local_address text not null,
  mx_set text not null,
  level smallint not null default 0 check (level between 0 and 16),
  level_at timestamptz not null default now(),
  suspended_until timestamptz,
  reason text,
  used_at timestamptz not null default now(),
  -- Why mail to an MX set waits, in a word that senders may see: the reply itself may name another organisation's recipient.
  reply_class text,
  primary key (pool, local_address, mx_set)
);

comment on table email.mx_sets is 'What the replies of MX sets have taught: how much each takes from one of our addresses.';
comment on column email.mx_sets.level is 'Each level halves the connections, then doubles the interval; one goes by every few minutes (workers/mail/limits).';
comment on column email.mx_sets.reason is 'The reply that slowed or suspended it last.';
comment on column email.mx_sets.reply_class is 'The class of the reply that slowed or suspended it last; warm_up: the address has sent what it may today.';

create table email.connections (
  id uuid primary key,
  pool text not null,
  local_address text not null,
  mx_set text not null,
  worker_id uuid not null
);

comment on table email.connections is 'SMTP connections that workers hold: so many to an MX set from one address, over all workers.';

create index connections_mx_set on email.connections (pool, local_address, mx_set);

-- Whether the worker that holds a connection has its lease: without it, what was taken for the connection is open to others.
-- Volatile: a claim asks once it has locked the row, and must see a connection that was taken, and a lease that was given, since its
-- own snapshot: else two connections send the message.
create function email.is_leased(connection uuid) returns boolean language sql volatile as $$
  select exists (
    select from email.connections as c join jobs.leaseholders as w on w.id = c.worker_id where c.id = connection)
$$;

-- Takes a connection to an MX set from the first of `addresses` that may have one more; without one, `free_at` says until when
-- all are suspended, and is null where one is but full. A caller that finds it full relies on those that hold the connections:
-- each wakes the set when it ends, under the same lock, and sees what was committed before.
create function email.take_connection(
  connection uuid, wanted_pool text, addresses text[], wanted_set text, most integer, recovery interval, worker uuid)
returns table (local_address text, level integer, live integer, free_at timestamptz) language plpgsql as $$
#variable_conflict use_column
declare
  address text;
  site email.mx_sets;
  soonest timestamptz;
  is_full boolean := false;
begin
  perform pg_advisory_xact_lock(7727, hashtext(wanted_pool || ' ' || wanted_set));
  foreach address in array addresses loop
    insert into email.mx_sets (pool, local_address, mx_set) values (wanted_pool, address, wanted_set)
      on conflict (pool, local_address, mx_set) do update set used_at = now()
      returning * into site;
    if site.suspended_until > now() then
      soonest := least(soonest, site.suspended_until);
      continue;
    end if;
    level := greatest(0, site.level - floor(extract(epoch from now() - site.level_at) / extract(epoch from recovery)));
    delete from email.connections as c
      where c.pool = wanted_pool and c.local_address = address and c.mx_set = wanted_set
        and not exists (select from jobs.leaseholders as w where w.id = c.worker_id);
    select count(*) into live from email.connections as c
      where c.pool = wanted_pool and c.local_address = address and c.mx_set = wanted_set;
    if live < greatest(1, most >> least(level, 15)) then
      insert into email.connections (id, pool, local_address, mx_set, worker_id)
        values (connection, wanted_pool, address, wanted_set, worker);
      live := live + 1;
      local_address := address;
      return next;
      return;
    end if;
    is_full := true;
  end loop;
  local_address := null;
  if not is_full then free_at := soonest; end if;
  return next;
end
$$;

create table email.address_days (
  local_address text not null,
  day date not null,
  sent integer not null,
  primary key (local_address, day)
);

comment on table email.address_days is 'Messages tried from an address by the day (UTC), while addresses are warmed up.';

-- Of what may leave from an address today, at most `wanted`.
create function email.take_of_today(address text, wanted integer, cap integer) returns integer language plpgsql as $$
declare
  today date := (now() at time zone 'utc')::date;
  got integer;
begin
  insert into email.address_days (local_address, day, sent) values (address, today, 0) on conflict do nothing;
  select greatest(0, least(wanted, cap - sent)) into got from email.address_days
    where local_address = address and day = today for update;
  update email.address_days set sent = sent + got where local_address = address and day = today and got > 0;
  return got;
end
$$;

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
