create table erp.watches (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  jurisdiction text not null,
  code text not null,
  note text,
  changed_at timestamptz,
  created_at timestamptz not null default now(),
  unique (org_id, jurisdiction, code)
);

comment on table erp.watches is 'Companies that an organisation watches: it receives an event when the registered data of one changes.';
comment on column erp.watches.changed_at is 'Time of the last change since the company is watched. Null if it has not changed.';

create index watches_newest on erp.watches (org_id, id);
create index watches_company on erp.watches (jurisdiction, code);

create table erp.watched_changes (
  id bigint generated always as identity primary key,
  watch_id uuid not null references erp.watches (id) on delete cascade,
  before jsonb not null,
  after jsonb not null,
  register text not null,
  changed_at timestamptz not null default now()
);

comment on table erp.watched_changes is 'Changes of watched companies whose events are not sent yet.';

create index watched_changes_watch on erp.watched_changes (watch_id);

-- Records the changed columns of a watched company, in the transaction of the import. It changes no watch, because an
-- import can take minutes, and members edit watches.
create function erp.record_watched_change() returns trigger language plpgsql as $$
declare
  previous jsonb;
  current jsonb;
begin
  if not exists (select from erp.watches where jurisdiction = new.jurisdiction and code = new.code) then
    return null;
  end if;
  select jsonb_object_agg(o.key, o.value), jsonb_object_agg(o.key, n.value) into previous, current
    from jsonb_each(to_jsonb(old)) as o join jsonb_each(to_jsonb(new)) as n using (key)
    where o.value is distinct from n.value
      and o.key not in ('id', 'name_norm', 'previous_norm', 'register', 'updated_at');
  if previous is null then
    return null;
  end if;
  insert into erp.watched_changes (watch_id, before, after, register)
    select id, previous, current, new.register from erp.watches
    where jurisdiction = new.jurisdiction and code = new.code;
  return null;
end
$$;

create trigger record_watched_change after update on erp.companies
  for each row execute function erp.record_watched_change();

select account.fence_closed('erp.watches');
