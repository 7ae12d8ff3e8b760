-- Filters of lists that read all rows of an organisation if few rows match.
create index if not exists bucket_scans_status on files.bucket_scans (org_id, status, id desc) where status <> 'clean';
create index if not exists bucket_scans_tag on files.bucket_scans (org_id, tag, id desc);
-- The hash, because a key can be too long for an index.
create index if not exists bucket_scans_key on files.bucket_scans (org_id, md5(key), id desc);
create index if not exists apps_metadata on hooks.apps using gin (metadata jsonb_path_ops) where deleted_at is null;
create index if not exists apps_name on hooks.apps using gin (lower(name) gin_trgm_ops) where deleted_at is null;
create index if not exists chat_messages_broadcast on live.chat_messages (broadcast_id, id desc) where broadcast_id is not null;
create index if not exists chat_messages_role on live.chat_messages (channel_id, role, id desc) where role <> 'viewer';
