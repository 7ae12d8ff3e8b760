-- Folders are ordered by their names: a slash comes before every other character.
create index if not exists objects_folder on files.objects (org_id, translate(folder, '/', chr(1)), id desc)
  where deleted_at is null and version_of is null;
create index if not exists objects_tenant_folder on files.objects (org_id, tenant_id, translate(folder, '/', chr(1)), id desc)
  where deleted_at is null and version_of is null and folder <> '';
create index if not exists objects_own_hash on files.objects (org_id, sha256, id desc)
  where sha256 is not null and deleted_at is null;
create index if not exists objects_expiring on files.objects (expires_at)
  where expires_at is not null and deleted_at is null and version_of is null;
