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

-- A day less than the retention, whose clock may run ahead of this statement's; what an organisation leaves behind goes with it.
create function account.keep_audit() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and (
    old.created_at < now() - interval '399 days' or not exists (select from account.orgs where id = old.org_id)
  ) then
    return old;
  end if;
  raise exception 'rows of the audit log are never changed, and deleted after 400 days at the soonest';
end
$$;

create trigger keep_audit before update or delete on account.audit
  for each row execute function account.keep_audit();
