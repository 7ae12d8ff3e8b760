create table account.requests (
  id uuid not null,
  org_id uuid not null,
  key_id uuid not null,
  secret_id uuid,
  client_id text,
  operation text not null,
  status smallint not null,
  code text,
  ms real not null,
  bytes_in bigint,
  bytes_out bigint,
  network text not null,
  sdk text,
  jobs text[] not null,
  resource_id uuid,
  error jsonb,
  request_head text,
  response_head text,
  primary key (id)
) partition by range (id);

comment on table account.requests is
  'A sample of requests, errors among them all, in a partition a day: what is counted is counted in account.request_minutes.';
comment on column account.requests.client_id is 'The X-Request-Id that the client gave: no key, as others may give the same.';
comment on column account.requests.jobs is 'Runs by id, and jobs without a run as pool:id.';
comment on column account.requests.resource_id is 'What the request made, by the id in its answer.';
comment on column account.requests.error is 'Code and names of fields of the answered error, no values.';
comment on column account.requests.request_head is 'Of a body, masked, while account.request_windows says so.';

create index requests_org on account.requests (org_id, id desc);

-- The least id that is made on a day of UTC.
create function account.first_id_of(day date) returns uuid language sql immutable as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid
$$;

-- Makes the partitions of today and of the days after it that are not there yet. One that is made apart and then attached
-- lets inserts go on.
create function account.make_request_days(ahead integer) returns void language plpgsql as $$
declare
  first date := (now() at time zone 'utc')::date;
  name text;
begin
  perform pg_advisory_xact_lock(7780, 0);
  for n in 0..ahead loop
    name := 'requests_' || to_char(first + n, 'YYYYMMDD');
    continue when to_regclass('account.' || name) is not null;
    execute format('create table account.%I (like account.requests including all)', name);
    execute format('alter table account.requests attach partition account.%I for values from (%L) to (%L)',
      name, account.first_id_of(first + n), account.first_id_of(first + n + 1));
  end loop;
end
$$;

select account.make_request_days(3);

create table account.request_minutes (
  org_id uuid not null,
  at timestamptz not null,
  key_id uuid not null,
  operation text not null,
  class smallint not null check (class between 1 and 5),
  process uuid not null,
  count bigint not null,
  ms double precision not null,
  buckets bigint[] not null,
  primary key (org_id, at, key_id, operation, class, process)
);

comment on table account.request_minutes is 'Every answered request, by minute; each process writes rows of its own, and what it has counted so far.';
comment on column account.request_minutes.class is 'The first digit of the status.';
comment on column account.request_minutes.buckets is 'Requests up to 10, 30, 100, 300, 1000, 3000, 10000 ms, and above.';

create index request_minutes_at on account.request_minutes (at);

create table account.request_hours (
  org_id uuid not null,
  at timestamptz not null,
  key_id uuid not null,
  operation text not null,
  class smallint not null check (class between 1 and 5),
  count bigint not null,
  ms double precision not null,
  buckets bigint[] not null,
  primary key (org_id, at, key_id, operation, class)
);

create index request_hours_at on account.request_hours (at);

create table account.request_windows (
  key_id uuid primary key references account.keys (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  opened_at timestamptz not null default now(),
  ends_at timestamptz not null,
  check (ends_at <= opened_at + interval '1 hour')
);

comment on table account.request_windows is 'Keys whose bodies are written to the request log, for an hour at most; the audit log says who opened it.';

create index request_windows_ends_at on account.request_windows (ends_at);
create index request_windows_org on account.request_windows (org_id);
