-- The end of an organisation: asked for, waited for, done in batches. What stays is a receipt without personal data.
create table account.closures (
  id uuid primary key,
  org_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'cancelled')),
  requested_by_kind text not null check (requested_by_kind in ('user', 'operator')),
  requested_by text,
  created_at timestamptz not null default now(),
  due_at timestamptz not null,
  cancelled_at timestamptz,
  started_at timestamptz,
  finished_at timestamptz,
  step text,
  block bigint not null default 0,
  receipt jsonb not null default '{"rows": {}, "jobs": 0, "objects": 0, "bytes": 0}'
);

comment on table account.closures is 'The row outlives its organisation: as the receipt of what was deleted.';
comment on column account.closures.requested_by is 'Who asked, by name; taken out when all is deleted.';
comment on column account.closures.step is 'The table that is being deleted from; the block of it that comes next.';

create unique index closures_open on account.closures (org_id) where state in ('waiting', 'running');
create index closures_org on account.closures (org_id, id desc);

create table account.exports (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  state text not null default 'waiting' check (state in ('waiting', 'ready', 'failed')),
  requested_by text not null,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  expires_at timestamptz,
  object_key text,
  bytes bigint,
  counts jsonb not null default '{}',
  error text
);

comment on table account.exports is 'Archives of all that an organisation has; each is there for days, then it goes with its row.';

create unique index exports_open on account.exports (org_id) where state = 'waiting';
create index exports_org on account.exports (org_id, id desc);
create index exports_expires on account.exports (expires_at) where expires_at is not null;

-- A deleted asset is looked for in all recordings.
create index recordings_asset on rooms.recordings (asset_id) where asset_id is not null;

-- Whether nothing of an organisation goes out, comes in or runs.
create function account.is_closing(org uuid) returns boolean language sql stable as $$
  select exists (select from account.closures where org_id = org and state in ('waiting', 'running'))
$$;

-- A day less than the retention, whose clock may run ahead of this statement's; what an organisation leaves behind goes with it,
-- and what one has that is being deleted.
create or replace function account.keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and (
    old.created_at < now() - interval '399 days' or not exists (select from account.orgs where id = old.org_id)
    or exists (select from account.closures where org_id = old.org_id and state = 'running')
  ) then
    return old;
  end if;
  raise exception 'rows of the audit log are never changed, and deleted after 400 days at the soonest';
end
$$;
