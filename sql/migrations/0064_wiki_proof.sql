alter table wiki.snapshots
  add column reading smallint,
  add column last_checked_at timestamptz,
  add column bytes_pruned_at timestamptz;

comment on table wiki.snapshots is 'What a source said at an instant. Its bytes never change once they are captured; the same again is the same row. Failed captures are kept with their reason. Bytes of those that no claim cites are deleted WIKI_SNAPSHOT_DAYS after they were last checked; what was said and the hashes stay.';
comment on column wiki.snapshots.reading is 'By which rules normal_text was made; null for the first ones, which knew no blocks and prove nothing any more.';
comment on column wiki.snapshots.last_checked_at is 'When its source said the same for the last time.';
comment on column wiki.snapshots.bytes_pruned_at is 'Since when its bytes are no part of what is stored.';
comment on column wiki.snapshots.normal_text is 'What the page shows, a line for each of its blocks, as quotes are written before they are looked for in it.';

create index snapshots_bytes on wiki.snapshots (org_id, sha256) where sha256 is not null;

alter table wiki.claim_references add column names_value boolean;

comment on column wiki.claim_references.names_value is 'Whether the quote has the value of its claim; null for one that was verified by the first rules, which asked for less: it is shown, and no proof for another publication.';

create table wiki.snapshot_checks (
  id uuid primary key,
  snapshot_id uuid not null references wiki.snapshots (id) on delete cascade,
  checked_at timestamptz not null default now()
);

comment on table wiki.snapshot_checks is 'Snapshots that were asked for and found to be one that there was: their ids lead to it for 30 days.';

create index snapshot_checks_snapshot on wiki.snapshot_checks (snapshot_id);
create index snapshot_checks_age on wiki.snapshot_checks (checked_at);

create table wiki.loose_bytes (
  org_id uuid not null,
  sha256 text not null,
  since timestamptz not null default now(),
  primary key (org_id, sha256)
);

comment on table wiki.loose_bytes is 'Bytes in storage that a snapshot has let go: deleted when no other needs them, some time later, so that a capture may take them up again.';

create function wiki.let_bytes_go() returns trigger language plpgsql as $$
begin
  insert into wiki.loose_bytes (org_id, sha256) values (old.org_id, old.sha256)
  on conflict (org_id, sha256) do update set since = excluded.since;
  return null;
end
$$;

create trigger let_bytes_go after delete on wiki.snapshots for each row
  when (old.sha256 is not null) execute function wiki.let_bytes_go();
create trigger let_pruned_bytes_go after update of bytes_pruned_at on wiki.snapshots for each row
  when (old.bytes_pruned_at is null and new.bytes_pruned_at is not null) execute function wiki.let_bytes_go();

create or replace function wiki.stored_bytes(snapshot wiki.snapshots) returns bigint language sql immutable as $$
  select case when snapshot.bytes_pruned_at is null then coalesce(snapshot.size, 0) else 0 end
$$;

drop trigger count_change on wiki.snapshots;
create trigger count_change after update of size, bytes_pruned_at on wiki.snapshots for each row
  when (wiki.stored_bytes(new) <> wiki.stored_bytes(old)) execute function wiki.count_stored();

create index claims_entity_value on wiki.claims ((value ->> 'content')) where value ->> 'type' = 'entity';
