alter table video.playback_sessions
  add column allowed_countries text[] not null default '{}',
  add column blocked_countries text[] not null default '{}',
  add column max_concurrent integer check (max_concurrent > 0);

comment on column video.playback_sessions.allowed_countries is 'ISO 3166-1 alpha-2; empty means everywhere.';
comment on column video.playback_sessions.max_concurrent is 'Sessions that the viewer might have at once when this one was minted.';

create index playback_sessions_viewer on video.playback_sessions (org_id, viewer_id, expires_at)
  where viewer_id is not null and revoked_at is null;
