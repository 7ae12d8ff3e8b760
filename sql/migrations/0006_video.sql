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
  status text not null default 'uploading' check (status in ('uploading', 'processing', 'ready', 'failed', 'aborted', 'deleted')),
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
  created_at timestamptz not null default now(),
  -- A failed asset can be tried again for as long as its upload is kept.
  source_removed_at timestamptz,
  watermark jsonb,
  deleted_at timestamptz,
  captions text[] not null default '{}',
  -- What of an upload is not in the video that is made of it, for its owner.
  left_out jsonb not null default '[]'
);

comment on column video.assets.mezzanine is 'The engine''s account of the remuxed upload; its path is the object''s key.';
comment on column video.assets.package_id is 'The package that is served: first the source as it is, later the ladder.';
comment on column video.assets.work_units is 'Megapixels to encode, summed over all frames and renditions.';
comment on column video.assets.watermark is 'watermarkId, position and opacity, as the upload asked for them.';
comment on column video.assets.captions is 'Languages of captions that viewers are offered; kept here, as every play reads this row.';

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
-- Uploads that were given up, by when their time was over: their rows go after a while.
create index uploads_over on video.uploads (expires_at) where state in ('aborted', 'expired');

-- What the ladder is made of: one row per chunk, and one for the sound. A film that no browser plays as it is has its smallest
-- rendition made first, chunk by chunk, and is playable by that one.
create table video.parts (
  asset_id uuid not null references video.assets (id) on delete cascade,
  kind text not null check (kind in ('chunk', 'first', 'audio')),
  number integer not null,
  units double precision not null,
  done_at timestamptz,
  cpu_seconds double precision,
  wall_seconds double precision,
  primary key (asset_id, kind, number)
);

comment on column video.parts.kind is 'A chunk in all renditions, or in all but the smallest, which then has chunks of kind ''first''.';

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

create table video.watermarks (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text,
  bytes integer not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg')),
  width integer not null,
  height integer not null,
  state text not null default 'checking' check (state in ('checking', 'ready')),
  created_at timestamptz not null default now()
);

comment on column video.watermarks.state is 'checking until a media worker has decoded it once; only then it is listed and used.';

create index watermarks_org on video.watermarks (org_id, id desc);
create index watermarks_unchecked on video.watermarks (created_at) where state = 'checking';

create table video.captions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid not null references video.assets (id) on delete cascade,
  language text not null,
  state text not null default 'queued' check (state in ('queued', 'processing', 'ready', 'failed')),
  engine text,
  cues integer,
  failure_code text,
  failure_summary text,
  created_at timestamptz not null default now(),
  ready_at timestamptz,
  unique (asset_id, language)
);

create index captions_org on video.captions (org_id);

-- What was heard so far, stretch by stretch: whoever takes the work up again goes on after the last one.
create table video.caption_pieces (
  captions_id uuid not null references video.captions (id) on delete cascade,
  from_seconds double precision not null,
  to_seconds double precision not null,
  words jsonb not null,
  primary key (captions_id, from_seconds)
);
