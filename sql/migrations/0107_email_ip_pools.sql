-- Sets of IP addresses for one organisation each. A delivery, an MX set or a connection of such a pool has the name of the shared
-- pool of its stream and the name of the dedicated pool as its pool: `transactional:acme`.
create table email.ip_pools (
  name text primary key check (name ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
  addresses jsonb not null check (jsonb_array_length(addresses) between 1 and 100),
  warm_up jsonb,
  assigned_to uuid unique references account.orgs (id) on delete set null,
  assigned_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table email.ip_pools is 'Dedicated IP addresses. All email of the organisation to which a pool is assigned is sent from them.';
comment on column email.ip_pools.addresses is 'Array of {address, name}: an address of a worker, and its host name for the greeting.';
comment on column email.ip_pools.warm_up is 'Array of [day, messages]: the most messages per day from an address, by days since its first use. Null: MAIL_WARMUP.';

-- A worker adds the addresses that its machine has (MAIL_DEDICATED_ADDRESSES).
create table email.ip_pool_workers (
  worker_id uuid not null,
  address text not null,
  registered_at timestamptz not null default now(),
  primary key (worker_id, address)
);

comment on table email.ip_pool_workers is 'Which worker can send from which dedicated address. A row counts while its worker has a lease.';

create function email.has_pool_worker(pool text) returns boolean language sql stable as $$
  select exists (
    select from email.ip_pools as p
    cross join jsonb_to_recordset(p.addresses) as a (address text)
    join email.ip_pool_workers as w on w.address = a.address
    join jobs.leaseholders as l on l.id = w.worker_id
    where p.name = pool)
$$;

alter table email.deliveries drop constraint deliveries_pool_check;
alter table email.deliveries add constraint deliveries_pool_check
  check (pool ~ '^(transactional|campaign)(:[a-z0-9-]{1,40})?$') not valid;
alter table email.mx_sets drop constraint mx_sets_pool_check;
alter table email.mx_sets add constraint mx_sets_pool_check
  check (pool ~ '^(transactional|campaign)(:[a-z0-9-]{1,40})?$') not valid;
