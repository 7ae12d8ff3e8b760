-- A row's lease is its connection's: one row to renew for all that a turn holds, and one place to see that its worker is gone.
alter table email.deliveries drop column leased_until;

comment on column email.deliveries.leased_by is 'The connection (email.connections) that took it; a lease ends with its connection, or with that one''s worker.';
comment on column email.deliveries.local_address is 'Where it leaves from, until a block: greylisting knows a sender by it. An empty text: the system''s choice.';

-- What is due is counted once a minute (tasks/email/rewake), and found by domain and MX set; an index of its own would cost each insert.
drop index email.deliveries_due;
-- With the MX set, so that those of a domain whose set is not known yet are found without the rest of its backlog.
drop index email.deliveries_domain;
create index deliveries_domain on email.deliveries (pool, to_domain, mx_set, turn, due_at);
create index deliveries_org on email.deliveries (org_id, pool);

create table email.mx_sets (
  pool text not null check (pool in ('transactional', 'campaign')),
  local_address text not null,
  mx_set text not null,
  level smallint not null default 0 check (level between 0 and 16),
  level_at timestamptz not null default now(),
  suspended_until timestamptz,
  reason text,
  used_at timestamptz not null default now(),
  primary key (pool, local_address, mx_set)
);

comment on table email.mx_sets is 'What the replies of MX sets have taught: how much each takes from one of our addresses.';
comment on column email.mx_sets.level is 'Each level halves the connections, then doubles the interval; one goes by every few minutes (workers/mail/limits).';
comment on column email.mx_sets.reason is 'The reply that slowed or suspended it last.';

create table email.connections (
  id uuid primary key,
  pool text not null,
  local_address text not null,
  mx_set text not null,
  worker_id uuid not null,
  leased_until timestamptz not null
);

comment on table email.connections is 'Leases of SMTP connections: so many to an MX set from one address, over all workers.';

create index connections_mx_set on email.connections (pool, local_address, mx_set);

create table email.address_days (
  local_address text not null,
  day date not null,
  sent integer not null,
  primary key (local_address, day)
);

comment on table email.address_days is 'Messages tried from an address by the day (UTC), while addresses are warmed up.';

-- Whether a connection's lease holds: a worker that died is known within a second (jobs.sweep), a silent one when the lease ends.
create function email.is_leased(connection uuid) returns boolean language sql stable as $$
  select exists (
    select from email.connections as c join jobs.workers as w on w.id = c.worker_id
    where c.id = connection and c.leased_until > now() and w.state = 'alive')
$$;

-- Takes a connection to an MX set from the first of `addresses` that may have one more; without one, `free_at` says until when
-- all are suspended, and is null where one is but full. A caller that finds it full relies on those that hold the connections:
-- each wakes the set when it ends, under the same lock, and sees what was committed before.
create function email.take_connection(
  connection uuid, wanted_pool text, addresses text[], wanted_set text, most integer, recovery interval, worker uuid, lease interval)
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
      where c.pool = wanted_pool and c.local_address = address and c.mx_set = wanted_set and not email.is_leased(c.id);
    select count(*) into live from email.connections as c
      where c.pool = wanted_pool and c.local_address = address and c.mx_set = wanted_set;
    if live < greatest(1, most >> least(level, 15)) then
      insert into email.connections (id, pool, local_address, mx_set, worker_id, leased_until)
        values (connection, wanted_pool, address, wanted_set, worker, now() + lease);
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

create table email.strikes (
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null,
  reply_class text not null,
  strikes integer not null default 1,
  last_at timestamptz not null default now(),
  primary key (org_id, email, reply_class)
);

comment on table email.strikes is 'Refusals that suppress an address only when they come again.';
