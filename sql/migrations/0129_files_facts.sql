-- What a customer says of an object: metadata, folder and expiry. Each version has the values of its object.
alter table files.objects
  add column metadata jsonb not null default '{}',
  add column folder text collate "C" not null default '',
  add column expires_at timestamptz;

comment on column files.objects.folder is 'Names of folders, joined by slashes. Empty: the object is in no folder.';
comment on column files.objects.expires_at is 'From this time on the object is unavailable. It is deleted soon after.';

-- What lists are filtered by, in their order. Has only first versions.
create table files.object_metadata (
  object_id uuid not null references files.objects (id) on delete cascade,
  key text not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  value text not null,
  primary key (object_id, key)
);

create index object_metadata_value on files.object_metadata (org_id, key, value, object_id desc);

select account.let_moves_pass();
