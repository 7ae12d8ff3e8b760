create table account.audit (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  number bigint not null check (number > 0),
  created_at timestamptz not null,
  actor_kind text not null check (actor_kind in ('key', 'user', 'operator', 'system')),
  actor_id text,
  actor_name text not null,
  action text not null,
  target text,
  request_id text,
  network text,
  before jsonb,
  after jsonb,
  previous_hash text not null,
  hash text not null,
  unique (org_id, number)
);

comment on table account.audit is 'Who did what to an organisation, chained by hashes: a row that is changed or taken out shows.';
comment on column account.audit.network is 'The /24 or /48 from which it was asked for.';
comment on column account.audit.hash is 'SHA-256 in hex of the row before''s hash and the canonical JSON of this row.';

create index audit_created_at on account.audit (created_at);
create index audit_action on account.audit (org_id, action, number);
create index audit_actor on account.audit (org_id, actor_id, number);
create index audit_target on account.audit (org_id, target, number) where target is not null;
create index audit_time on account.audit (org_id, created_at, number);

-- What an organisation has that is being deleted goes, and what came with a move that was given up.
create function account.keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and (
    old.created_at < now() - interval '399 days' or not exists (select from account.orgs where id = old.org_id)
    or exists (select from account.closures where org_id = old.org_id and state = 'running')
    or exists (select from account.moves where org_id = old.org_id and state in ('incoming', 'aborting'))
  ) then
    return old;
  end if;
  raise exception 'rows of the audit log are never changed, and deleted after 400 days at the soonest';
end
$$;

create trigger keep_audit before update or delete on account.audit
  for each row execute function account.keep_audit();

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

-- What organisations have used by day, and what they let themselves use.
create table account.usage_daily (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  metric text not null,
  dimension text not null default '',
  amount bigint not null,
  primary key (org_id, metric, dimension, day)
) with (fillfactor = 50);

comment on table account.usage_daily is 'By day of UTC. What is billed is counted in the transaction of its effect, the rest by a roll-up that overwrites.';
comment on column account.usage_daily.dimension is 'Empty for all of it, or a part by name: domain:example.com, key:<id>, app:<id>.';

create index usage_daily_day on account.usage_daily (day);

create table account.budgets (
  org_id uuid not null references account.orgs (id) on delete cascade,
  metric text not null,
  period text not null check (period in ('month', 'day')),
  soft bigint check (soft >= 0),
  hard bigint check (hard >= 0),
  alert_at integer[] not null,
  updated_at timestamptz not null default now(),
  primary key (org_id, metric),
  check (soft is not null or hard is not null)
);

comment on table account.budgets is 'Limits of an organisation''s own, below its plan''s. Who counts against one holds its row until the transaction ends.';

create table account.budget_alerts (
  org_id uuid not null references account.orgs (id) on delete cascade,
  metric text not null,
  period text not null check (period in ('month', 'day')),
  starts_on date not null,
  percent integer not null,
  used bigint not null,
  "limit" bigint not null,
  created_at timestamptz not null default now(),
  primary key (org_id, metric, period, starts_on, percent)
);

comment on table account.budget_alerts is 'Thresholds that were told, each once in its period.';

create index budget_alerts_created_at on account.budget_alerts (created_at);

create table account.usage_reservations (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  metric text not null,
  amount bigint not null check (amount >= 0),
  expires_at timestamptz not null
);

comment on table account.usage_reservations is 'Of budgets, for work whose amount is known at its end; what nobody has settled ends by itself.';

create index usage_reservations_org on account.usage_reservations (org_id, metric);
create index usage_reservations_expires_at on account.usage_reservations (expires_at);

create table account.test_messages (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  channel text not null check (channel in ('email', 'push', 'whatsapp', 'voice', 'notify')),
  recipient text not null,
  title text not null,
  content jsonb,
  record jsonb,
  bytes integer not null,
  created_at timestamptz not null default now()
);

comment on table account.test_messages is 'What test keys would have sent: nothing else is made of it, no row of the area and no job, so that nothing can deliver it.';
comment on column account.test_messages.id is 'What the area names the message by.';
comment on column account.test_messages.content is 'Null for mail, whose content the email area keeps.';
comment on column account.test_messages.record is 'The message as its area answers with it; null for mail, which has rows of its own that are never delivered.';

create index test_messages_org on account.test_messages (org_id, id desc);
create index test_messages_created_at on account.test_messages (created_at);
create index test_messages_channel on account.test_messages (org_id, channel, id);
create index test_messages_recipient on account.test_messages (org_id, recipient, id);
