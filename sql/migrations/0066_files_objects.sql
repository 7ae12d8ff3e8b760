create schema files;

comment on schema files is 'Uploads behind a malware gate: objects, every scan of them, and every change of their state.';

create table files.objects (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  product_key text not null,
  tenant_id text not null,
  filename text not null,
  content_type text not null,
  byte_size bigint not null check (byte_size >= 0),
  checksum_sha256 text check (checksum_sha256 ~ '^[0-9a-f]{64}$'),
  scan_status text not null default 'awaiting_upload' check (scan_status in
    ('awaiting_upload', 'pending', 'scanning', 'clean', 'infected', 'suspicious', 'unscannable', 'error')),
  place text not null default 'incoming' check (place in ('incoming', 'held', 'quarantine', 'gone')),
  incoming_key text not null unique,
  held_key text unique,
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  sniffed_type text,
  scan_id uuid,
  scanned_with text,
  upload_expires_at timestamptz not null,
  uploaded_at timestamptz,
  scanned_at timestamptz,
  quarantined_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now(),
  metadata_stripped boolean not null default false,
  release_id uuid,
  -- Bytes that replace an object's are an object of their own, until which are found clean the ones before are served.
  version_of uuid,
  version integer not null default 1,
  last_version integer not null default 1,
  undrawable_pages integer[] not null default '{}',
  constraint objects_bytes_known check (
    case place
      when 'incoming' then held_key is null and scan_status = 'awaiting_upload'
      when 'held' then held_key is not null and scan_status <> 'awaiting_upload'
      when 'quarantine' then held_key is not null and scan_status not in ('awaiting_upload', 'clean')
      when 'gone' then held_key is null and scan_status not in ('pending', 'scanning', 'clean')
    end),
  constraint objects_clean_is_proven check (
    scan_status <> 'clean' or (place = 'held' and sha256 is not null and scan_id is not null and scanned_at is not null)),
  constraint objects_release_holds check (
    release_id is null or scan_status not in ('awaiting_upload', 'infected', 'suspicious', 'unscannable'))
);

comment on column files.objects.checksum_sha256 is 'What the client says its bytes hash to: signed into the upload, and compared when they are scanned.';
comment on column files.objects.incoming_key is 'The only key that is ever presigned for PUT.';
comment on column files.objects.held_key is 'Where the bytes lie that are scanned and served; no two completions write the same one.';
comment on column files.objects.scan_id is 'The scan that the status stems from.';
comment on column files.objects.scanned_with is 'Signature and heuristics version of that scan.';
comment on column files.objects.metadata_stripped is 'Whether what lies under held_key is known to have no metadata of its uploader''s but the declared type.';
comment on column files.objects.release_id is 'The release that holds for its bytes.';
comment on column files.objects.version_of is 'The object whose bytes these replace; null for the first version, by whose id it is asked for.';
comment on column files.objects.last_version is 'Of the first version alone: the number of the newest that was ever begun, so that none is given twice.';
comment on column files.objects.undrawable_pages is 'Pages of which no preview is drawn again: they were damaged or took too much. Three of them stand for all.';

create index objects_hash on files.objects (sha256) where sha256 is not null;
create index objects_abandoned on files.objects (upload_expires_at) where scan_status = 'awaiting_upload';
create index objects_quarantined on files.objects (quarantined_at) where place = 'quarantine';
create index objects_unstripped on files.objects (id) where not metadata_stripped and held_key is not null and deleted_at is null;
-- What was judged with what is told by an index alone.
create index objects_scanned_with on files.objects (scanned_with, id desc)
  where scan_status in ('clean', 'suspicious', 'unscannable') and deleted_at is null;
create index objects_held_back on files.objects (id desc)
  where scan_status in ('suspicious', 'unscannable') and deleted_at is null;
create index objects_versions on files.objects (version_of, version) where version_of is not null;
-- Lists have objects by their first versions alone: with the later ones, which are newer, they would pass a hundred rows for each.
create index objects_first on files.objects (org_id, id desc) where deleted_at is null and version_of is null;
create index objects_first_tenant on files.objects (org_id, tenant_id, id desc) where deleted_at is null and version_of is null;
create index objects_first_status on files.objects (org_id, scan_status, id desc) where deleted_at is null and version_of is null;
create index objects_first_product on files.objects (org_id, product_key, id desc) where deleted_at is null and version_of is null;

create table files.scans (
  id uuid primary key,
  object_id uuid not null references files.objects (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  cause text not null check (cause in ('upload', 'requested', 'signatures', 'same_bytes')),
  status text not null default 'pending' check (status in
    ('pending', 'scanning', 'clean', 'infected', 'suspicious', 'unscannable', 'error')),
  key text,
  sha256 text,
  engine text,
  signature_version text,
  heuristics_version text,
  reasons jsonb not null default '[]',
  reused_from uuid,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  superseded_at timestamptz default now(),
  constraint scans_verdict_is_founded check (
    status in ('pending', 'scanning', 'error')
    or (sha256 is not null and engine is not null and signature_version is not null and heuristics_version is not null
        and finished_at is not null))
);

comment on column files.scans.key is 'The key whose bytes were read.';
comment on column files.scans.reused_from is 'The scan of the same bytes whose verdict this one has taken over.';
comment on column files.scans.superseded_at is
  'Since when no object''s status stems from it, or that it was begun; null for the scan that one stems from. Kept by triggers.';

create unique index scans_open on files.scans (object_id) where status in ('pending', 'scanning');
create index scans_object on files.scans (object_id, id desc);
create index scans_hash on files.scans (sha256, finished_at desc) where sha256 is not null and reused_from is null;
create index scans_open_by_cause on files.scans (cause) where status in ('pending', 'scanning');
-- Which scans nobody's status stems from is told by an index alone.
create index scans_superseded on files.scans (superseded_at) where superseded_at is not null;

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

-- No reference to the object: what happened to it is kept when it is gone.
create table files.state_changes (
  id bigint generated always as identity primary key,
  object_id uuid not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  from_status text,
  to_status text not null,
  from_place text,
  to_place text not null,
  deleted boolean not null,
  scan_id uuid,
  at timestamptz not null default now(),
  release_id uuid
);

create index state_changes_object on files.state_changes (object_id, id);

-- What a status may become. An object is only ever found clean by a scan under way, or let pass by a release.
create function files.may_become(old_status text, new_status text) returns boolean
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
create function files.check_state() returns trigger language plpgsql as $$
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

create trigger check_state before update of scan_status, held_key, sha256, scan_id, place, release_id on files.objects
  for each row execute function files.check_state();

create function files.note_state() returns trigger language plpgsql as $$
begin
  insert into files.state_changes (object_id, org_id, from_status, to_status, from_place, to_place, deleted, scan_id, release_id)
  values (new.id, new.org_id,
    case when tg_op = 'UPDATE' then old.scan_status end, new.scan_status,
    case when tg_op = 'UPDATE' then old.place end, new.place,
    new.deleted_at is not null, new.scan_id, new.release_id);
  return null;
end
$$;

create trigger note_new after insert on files.objects for each row execute function files.note_state();

create trigger note_change after update on files.objects for each row
  when (new.scan_status <> old.scan_status or new.place <> old.place or new.scan_id is distinct from old.scan_id
    or new.deleted_at is distinct from old.deleted_at or new.release_id is distinct from old.release_id)
  execute function files.note_state();

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

create table files.scanners (
  name text primary key,
  state text not null check (state in ('up', 'away')),
  engine text,
  signature_version text,
  signatures text check (signatures in ('official', 'test')),
  seen_at timestamptz not null default now()
);

comment on table files.scanners is 'The scanner of each worker process, as that last saw it; how health knows of them.';
