-- An operator lets an object pass against its verdict: a fact of its own beside the scan, which stays as it is.
create table files.releases (
  id uuid primary key,
  object_id uuid not null references files.objects (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  scan_id uuid not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  overruled text not null check (overruled in ('suspicious', 'unscannable')),
  grounds text[] not null,
  actor text not null check (actor <> ''),
  reason text not null check (reason ~ '\S' and length(reason) <= 500),
  released_at timestamptz not null default now()
);

comment on column files.releases.scan_id is 'The scan whose verdict was overruled; it may be forgotten by now.';
comment on column files.releases.grounds is 'What was found, all of which the operator knew: a later verdict on other grounds ends the release.';

create index releases_object on files.releases (object_id);

alter table files.objects add column release_id uuid;

comment on column files.objects.release_id is 'The release that holds for its bytes.';

alter table files.objects add constraint objects_release_holds check (
  release_id is null or scan_status not in ('awaiting_upload', 'infected', 'suspicious', 'unscannable')) not valid;
alter table files.objects validate constraint objects_release_holds;

alter table files.state_changes add column release_id uuid;

create index objects_held_back on files.objects (id desc)
  where scan_status in ('suspicious', 'unscannable') and deleted_at is null;

create or replace function files.may_become(old_status text, new_status text) returns boolean
language sql immutable as $$
  select case old_status
    when 'awaiting_upload' then new_status = 'pending'
    when 'pending' then new_status in ('scanning', 'infected', 'error')
    when 'scanning' then new_status in ('pending', 'clean', 'infected', 'suspicious', 'unscannable', 'error')
    when 'clean' then new_status in ('pending', 'infected', 'suspicious', 'unscannable')
    when 'infected' then new_status = 'pending'
    when 'error' then new_status in ('pending', 'infected')
    else new_status in ('pending', 'infected', 'clean')
  end
$$;

-- What became clean without a scan under way became so by a release of that moment, and stays so by the release alone.
create or replace function files.check_state() returns trigger language plpgsql as $$
begin
  if new.scan_status <> old.scan_status and not files.may_become(old.scan_status, new.scan_status) then
    raise exception 'files.objects %: % does not become %', old.id, old.scan_status, new.scan_status
      using errcode = 'check_violation', constraint = 'objects_state';
  end if;
  if new.scan_status = 'clean' and old.scan_status in ('suspicious', 'unscannable')
    and (new.release_id is null or new.release_id is not distinct from old.release_id) then
    raise exception 'files.objects %: % does not become clean without a release', old.id, old.scan_status
      using errcode = 'check_violation', constraint = 'objects_state';
  end if;
  if new.scan_status = 'clean' and not exists (
    select from files.scans as s
    where s.id = new.scan_id and s.object_id = new.id and s.sha256 = new.sha256 and s.key = new.held_key
      and (s.status = 'clean' or s.status in ('suspicious', 'unscannable') and exists (
        select from files.releases as r
        where r.id = new.release_id and r.object_id = new.id and r.sha256 = new.sha256))) then
    raise exception 'files.objects %: no scan found these bytes clean, and nobody has released them', old.id
      using errcode = 'check_violation', constraint = 'objects_clean_is_proven';
  end if;
  return new;
end
$$;

create or replace function files.note_state() returns trigger language plpgsql as $$
begin
  insert into files.state_changes (object_id, org_id, from_status, to_status, from_place, to_place, deleted, scan_id, release_id)
  values (new.id, new.org_id,
    case when tg_op = 'UPDATE' then old.scan_status end, new.scan_status,
    case when tg_op = 'UPDATE' then old.place end, new.place,
    new.deleted_at is not null, new.scan_id, new.release_id);
  return null;
end
$$;

drop trigger check_state on files.objects;
create trigger check_state before update of scan_status, held_key, sha256, scan_id, place, release_id on files.objects
  for each row execute function files.check_state();

drop trigger note_change on files.objects;
create trigger note_change after update on files.objects for each row
  when (new.scan_status <> old.scan_status or new.place <> old.place or new.scan_id is distinct from old.scan_id
    or new.deleted_at is distinct from old.deleted_at or new.release_id is distinct from old.release_id)
  execute function files.note_state();
