create schema video;

create table video.assets (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  title text,
  external_ref text,
  filename text,
  mime_type text,
  bytes bigint not null check (bytes > 0),
  profile text not null default 'standard_vod' check (profile in ('standard_vod', 'fast_social')),
  visibility text not null default 'signed' check (visibility in ('private', 'signed', 'unlisted', 'public')),
  status text not null default 'uploading' check (status in ('uploading', 'processing', 'ready', 'failed', 'aborted')),
  stage text not null default 'uploading'
    check (stage in ('uploading', 'queued', 'probing', 'remuxing', 'packaging_source', 'encoding', 'packaging', 'ready', 'failed', 'aborted')),
  failure_code text,
  failure_summary text,
  duration_seconds double precision,
  width integer,
  height integer,
  frame_rate double precision,
  mezzanine jsonb,
  plan jsonb,
  poster boolean not null default false,
  package_id uuid,
  work_units double precision,
  playable_at timestamptz,
  processing_at timestamptz,
  ready_at timestamptz,
  created_at timestamptz not null default now()
);

comment on column video.assets.mezzanine is 'The engine''s account of the remuxed upload; its path is the object''s key.';
comment on column video.assets.package_id is 'The package that is served: first the source as it is, later the ladder.';
comment on column video.assets.work_units is 'Megapixels to encode, summed over all frames and renditions.';

create index assets_org on video.assets (org_id, id desc);
create index assets_org_status on video.assets (org_id, status, id desc);
create index assets_processing on video.assets (processing_at) where status = 'processing';

create table video.uploads (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid not null unique references video.assets (id) on delete cascade,
  bytes bigint not null,
  part_bytes bigint not null,
  parts integer not null check (parts between 1 and 10000),
  state text not null default 'open' check (state in ('open', 'paused', 'completed', 'aborted', 'expired')),
  storage_upload text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

create index uploads_stale on video.uploads (expires_at) where state in ('open', 'paused');

-- What the ladder is made of: one row per chunk, and one for the sound.
create table video.parts (
  asset_id uuid not null references video.assets (id) on delete cascade,
  kind text not null check (kind in ('chunk', 'audio')),
  number integer not null,
  units double precision not null,
  done_at timestamptz,
  cpu_seconds double precision,
  wall_seconds double precision,
  primary key (asset_id, kind, number)
);

create index parts_recent on video.parts (done_at desc) where done_at is not null and kind = 'chunk';

create table video.renditions (
  asset_id uuid not null references video.assets (id) on delete cascade,
  package_id uuid not null,
  name text not null,
  width integer not null,
  height integer not null,
  frames integer not null,
  segments integer not null,
  bytes bigint not null,
  peak_bit_rate integer not null,
  mean_bit_rate integer not null,
  codec text not null,
  primary key (asset_id, package_id, name)
);

-- Playlists are small and asked for on every play: they are kept beside the rows that decide who may read them.
create table video.playlists (
  package_id uuid not null,
  asset_id uuid not null references video.assets (id) on delete cascade,
  name text not null,
  body text not null,
  primary key (package_id, name)
);

create index playlists_asset on video.playlists (asset_id);

create table video.playback_sessions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid not null references video.assets (id) on delete cascade,
  host text not null,
  viewer_id text,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now()
);

create index playback_sessions_asset on video.playback_sessions (asset_id);
create index playback_sessions_expired on video.playback_sessions (expires_at);
