create table knowledge.stores (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  description text,
  metadata jsonb not null default '{}',
  expires_days integer check (expires_days between 1 and 365),
  files_in_progress integer not null default 0,
  files_completed integer not null default 0,
  files_failed integer not null default 0,
  files_cancelled integer not null default 0,
  usage_bytes bigint not null default 0,
  last_active_at timestamptz not null default now(),
  expires_at timestamptz,
  deleted_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table knowledge.stores is 'Vector stores: collections of files that an organisation searches.';
comment on column knowledge.stores.expires_days is 'Days without use after which the store is deleted. Null: never.';
comment on column knowledge.stores.usage_bytes is 'Bytes of the indexed text in UTF-8. Counted by a trigger, like the numbers of files.';
comment on column knowledge.stores.deleted_at is 'Since then the store does not exist for its organisation. A task deletes its files, and then the store.';

create index stores_list on knowledge.stores (org_id, id);
create index stores_expired on knowledge.stores (expires_at) where expires_at is not null and deleted_at is null;

create table knowledge.store_files (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  store_id uuid not null references knowledge.stores (id) on delete cascade,
  file_id uuid not null,
  batch_id uuid,
  filename text not null,
  attributes jsonb not null default '{}',
  status text not null default 'in_progress' check (status in ('in_progress', 'completed', 'failed', 'cancelled')),
  try integer not null default 1,
  error jsonb,
  usage_bytes bigint not null default 0,
  requested_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  unique (store_id, file_id)
);

comment on table knowledge.store_files is 'Files of vector stores. The text of a file is the source with its ID.';
comment on column knowledge.store_files.file_id is 'Object of the files area. Of a text that was sent directly, the ID of the row.';
comment on column knowledge.store_files.try is 'Number of the read. A read that was replaced writes nothing.';
comment on column knowledge.store_files.usage_bytes is 'Bytes of the indexed text in UTF-8.';

create index store_files_list on knowledge.store_files (store_id, id);
create index store_files_status on knowledge.store_files (store_id, status, id);
create index store_files_batch on knowledge.store_files (batch_id, id) where batch_id is not null;
create index store_files_file on knowledge.store_files (file_id);
create index store_files_org on knowledge.store_files (org_id);

create table knowledge.store_batches (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  store_id uuid not null references knowledge.stores (id) on delete cascade,
  cancelled_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table knowledge.store_batches is 'Files that were added to a vector store in one request.';

create index store_batches_store on knowledge.store_batches (store_id);
create index store_batches_org on knowledge.store_batches (org_id);
create index store_batches_created on knowledge.store_batches (created_at);

-- Stores are locked in the order of their IDs, so that deletions of files in several stores do not block each other.
create function knowledge.count_store_files() returns trigger language plpgsql as $$
declare
  change record;
begin
  for change in execute format(
    'select store_id, sum(n) filter (where status = ''in_progress'') as in_progress,
      sum(n) filter (where status = ''completed'') as completed, sum(n) filter (where status = ''failed'') as failed,
      sum(n) filter (where status = ''cancelled'') as cancelled, sum(n * usage_bytes) as bytes
    from (%s) as c group by store_id order by store_id',
    concat_ws(' union all ',
      case when tg_op <> 'DELETE' then 'select store_id, status, usage_bytes, 1 as n from added' end,
      case when tg_op <> 'INSERT' then 'select store_id, status, usage_bytes, -1 as n from gone' end))
  loop
    continue when coalesce(change.in_progress, 0) = 0 and coalesce(change.completed, 0) = 0
      and coalesce(change.failed, 0) = 0 and coalesce(change.cancelled, 0) = 0 and change.bytes = 0;
    update knowledge.stores set
      files_in_progress = files_in_progress + coalesce(change.in_progress, 0),
      files_completed = files_completed + coalesce(change.completed, 0),
      files_failed = files_failed + coalesce(change.failed, 0),
      files_cancelled = files_cancelled + coalesce(change.cancelled, 0),
      usage_bytes = usage_bytes + change.bytes
    where id = change.store_id;
  end loop;
  return null;
end
$$;

create trigger count_added after insert on knowledge.store_files referencing new table as added
  for each statement execute function knowledge.count_store_files();

create trigger count_changed after update on knowledge.store_files referencing old table as gone new table as added
  for each statement execute function knowledge.count_store_files();

create trigger count_deleted after delete on knowledge.store_files referencing old table as gone
  for each statement execute function knowledge.count_store_files();

create function knowledge.forget_store_files() returns trigger language plpgsql as $$
begin
  delete from knowledge.sources where id in (select id from gone);
  return null;
end
$$;

create trigger forget_text after delete on knowledge.store_files referencing old table as gone
  for each statement execute function knowledge.forget_store_files();

-- A file that its organisation deletes is found no more, however it is deleted.
create function knowledge.forget_object() returns trigger language plpgsql as $$
begin
  delete from knowledge.store_files where file_id = new.id;
  return null;
end
$$;

create trigger forget_in_stores after update on files.objects for each row
  when (old.deleted_at is null and new.deleted_at is not null)
  execute function knowledge.forget_object();

select account.fence_closed('knowledge.stores', 'knowledge.store_files', 'knowledge.store_batches');
select account.let_moves_pass();
