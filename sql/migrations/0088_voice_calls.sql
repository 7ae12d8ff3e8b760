create schema voice;

comment on schema voice is 'Calls by telephone: numbers, what organisations may call, calls with their two legs, and the workers that hold them.';

create table voice.numbers (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  number text not null unique check (number ~ '^\+[1-9][0-9]{6,14}$'),
  friendly_name text not null,
  country text not null,
  type text not null check (type in ('local', 'mobile', 'toll_free')),
  sms boolean not null default false,
  status text not null default 'active' check (status in ('active', 'suspended')),
  created_at timestamptz not null default now()
);

create index numbers_org on voice.numbers (org_id, id);

create table voice.rules (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid references account.keys (id) on delete cascade,
  countries text[],
  max_concurrent integer check (max_concurrent >= 0),
  max_per_day integer check (max_per_day >= 0),
  updated_at timestamptz not null default now(),
  unique nulls not distinct (org_id, key_id)
);

comment on table voice.rules is 'Against toll fraud: what an organisation, or one of its keys, may call. Null leaves it to the organisation''s rule, or the default.';

create table voice.switchboards (
  id uuid primary key,
  address text not null,
  capacity integer not null,
  calls_per_second real not null,
  started_at timestamptz not null default now()
);

comment on table voice.switchboards is 'Workers that hold calls; when the lease of one ends, another ends the dialogs of its calls.';
comment on column voice.switchboards.id is 'Of jobs.workers.';

create table voice.trunks (
  switchboard_id uuid not null references voice.switchboards (id) on delete cascade,
  name text not null,
  reachable boolean not null,
  rtt_ms double precision,
  last_checked_at timestamptz not null,
  last_error text,
  primary key (switchboard_id, name)
);

create table voice.calls (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  caller_id text not null,
  status text not null default 'queued'
    check (status in ('queued', 'initiated', 'ringing', 'in_progress', 'completed', 'busy', 'no_answer', 'failed', 'canceled')),
  reason text,
  ended_by text check (ended_by in ('a', 'b', 'api', 'limit', 'platform')),
  ring_timeout_seconds integer not null,
  max_duration_seconds integer not null,
  metadata jsonb not null default '{}',
  switchboard_id uuid references voice.switchboards (id),
  hangup_requested_at timestamptz,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  ended_at timestamptz,
  check ((ended_at is not null) = (status in ('completed', 'busy', 'no_answer', 'failed', 'canceled'))),
  check (switchboard_id is not null or status in ('queued', 'failed', 'canceled'))
);

comment on column voice.calls.answered_at is 'When the two were connected.';

create index calls_org on voice.calls (org_id, id);
create index calls_day on voice.calls (org_id, created_at);
create index calls_open on voice.calls (switchboard_id, status) where ended_at is null;
create index calls_ended on voice.calls (ended_at) where ended_at is not null;
create index calls_status on voice.calls (org_id, status, id);

create table voice.legs (
  call_id uuid not null references voice.calls (id) on delete cascade,
  leg text not null check (leg in ('a', 'b')),
  number text not null,
  status text not null default 'queued'
    check (status in ('queued', 'initiated', 'ringing', 'answered', 'completed', 'busy', 'no_answer', 'failed', 'canceled')),
  trunk text,
  dialog jsonb,
  sip_status integer,
  ringing_at timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  primary key (call_id, leg)
);

comment on column voice.legs.dialog is 'The SIP dialog (RFC 3261 12), by which any worker can end it.';
comment on column voice.legs.sip_status is 'The last final SIP status to the INVITE.';

-- Calls end in many ways, each of which settles what was reserved for it, in its transaction.
create function voice.count_seconds() returns trigger language plpgsql as $$
declare
  seconds bigint := coalesce(ceil(extract(epoch from new.ended_at - new.answered_at)), 0);
begin
  delete from account.usage_reservations where id = new.id;
  if seconds > 0 then
    insert into account.usage_daily as u (org_id, day, metric, amount)
    values (new.org_id, (new.ended_at at time zone 'utc')::date, 'voice.seconds', seconds)
    on conflict (org_id, metric, dimension, day) do update set amount = u.amount + excluded.amount;
  end if;
  return null;
end
$$;

create trigger count_seconds after update of ended_at on voice.calls for each row
  when (old.ended_at is null and new.ended_at is not null) execute function voice.count_seconds();
