-- Uploads of files in parts. The row of the file, files.objects, has the state: its place is 'incoming' until the parts are joined.
create table if not exists files.uploads (
  id uuid primary key references files.objects (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bytes bigint not null check (bytes > 0),
  part_bytes integer not null check (part_bytes > 0),
  parts integer not null check (parts between 1 and 10000),
  key text not null unique,
  storage_upload text,
  completed_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table files.uploads is 'Uploads of files in parts. They are deleted with their files.';
comment on column files.uploads.key is 'Object into which storage joins the parts. Only parts of this upload are ever presigned for PUT.';
comment on column files.uploads.storage_upload is 'ID of the upload in storage, from the first signature of a part.';

create index if not exists uploads_open on files.uploads (org_id, id desc) where completed_at is null;
create index if not exists uploads_org on files.uploads (org_id);

select account.fence_closed('files.uploads');
select account.let_moves_pass();
