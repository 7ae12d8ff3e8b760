-- What is asked often of files, told by indexes alone: which scans nobody's status stems from, and what was judged with what.
alter table files.scans add column superseded_at timestamptz default now();

comment on column files.scans.superseded_at is
  'Since when no object''s status stems from it, or that it was begun; null for the scan that one stems from. Kept by triggers.';

update files.scans as s set superseded_at = null from files.objects as o where o.scan_id = s.id;

create index scans_superseded on files.scans (superseded_at) where superseded_at is not null;

-- An object may name its first scan before that is written.
create function files.note_current() returns trigger language plpgsql as $$
begin
  if exists (select from files.objects as o where o.id = new.object_id and o.scan_id = new.id) then
    new.superseded_at := null;
  end if;
  return new;
end
$$;

create trigger note_current before insert on files.scans for each row execute function files.note_current();

create function files.note_superseded() returns trigger language plpgsql as $$
begin
  update files.scans set superseded_at = now() where id = old.scan_id;
  update files.scans set superseded_at = null where id = new.scan_id;
  return null;
end
$$;

create trigger note_superseded after update of scan_id on files.objects for each row
  when (new.scan_id is distinct from old.scan_id)
  execute function files.note_superseded();

-- In place of objects_scanned, which had to be read to its end to find that nothing is outdated.
create index objects_scanned_with on files.objects (scanned_with, id desc)
  where scan_status in ('clean', 'suspicious', 'unscannable') and deleted_at is null;

drop index files.objects_scanned;
