-- A viewer's session is for an asset or for a channel; both count against the viewer's sessions.
create table video.playback_sessions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid references video.assets (id) on delete cascade,
  host text not null,
  viewer_id text,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  allowed_countries text[] not null default '{}',
  blocked_countries text[] not null default '{}',
  max_concurrent integer check (max_concurrent > 0),
  channel_id uuid references live.channels (id) on delete cascade,
  constraint playback_sessions_one check (num_nonnulls(asset_id, channel_id) = 1)
);

comment on column video.playback_sessions.allowed_countries is 'ISO 3166-1 alpha-2; empty means everywhere.';
comment on column video.playback_sessions.max_concurrent is 'Sessions that the viewer might have at once when this one was minted.';

create index playback_sessions_expired on video.playback_sessions (expires_at);
create index playback_sessions_viewer on video.playback_sessions (org_id, viewer_id, expires_at)
  where viewer_id is not null and revoked_at is null;
create index playback_sessions_org on video.playback_sessions (org_id, id desc);
create index playback_sessions_of_viewer on video.playback_sessions (org_id, viewer_id, id desc)
  where viewer_id is not null;
create index playback_sessions_of_asset on video.playback_sessions (asset_id, id desc) where asset_id is not null;
create index playback_sessions_of_channel on video.playback_sessions (channel_id, id desc)
  where channel_id is not null;

-- How plays went, as players tell. A view is counted once, however often and in whatever order its beacons come.
create table video.views (
  session_id uuid not null,
  view_id text not null,
  asset_id uuid not null constraint views_asset_id_fkey1 references video.assets (id) on delete cascade,
  sequence integer not null,
  counted jsonb not null,
  before jsonb,
  created_at timestamptz not null default now(),
  primary key (session_id, view_id)
) partition by range (session_id);

comment on table video.views is 'Views by their beacons; in partitions by the time of the session.';
comment on column video.views.counted is 'What the newest beacon said in all; before is what had been said until then: the difference goes to the hour.';

-- Not on what changes: a beacon's update stays within its page.
create index views_created on video.views (created_at);
create index views_asset on video.views (asset_id);

create table video.quality_hours (
  asset_id uuid not null references video.assets (id) on delete cascade,
  at timestamptz not null,
  views integer not null,
  failed_views integer not null,
  starts integer not null,
  startup integer[] not null,
  play_ms bigint not null,
  rebuffer_ms bigint not null,
  rebuffers bigint not null,
  bits double precision not null,
  decoded bigint not null,
  dropped bigint not null,
  switches bigint not null,
  primary key (asset_id, at)
);

comment on column video.quality_hours.startup is 'Starts by how long they took: a histogram with fixed bounds.';

create index quality_hours_at on video.quality_hours (at);

create table video.quality_errors (
  asset_id uuid not null references video.assets (id) on delete cascade,
  at timestamptz not null,
  code text not null,
  fatal boolean not null,
  count bigint not null,
  primary key (asset_id, at, code, fatal)
);

create index quality_errors_at on video.quality_errors (at);

-- What lists are filtered by, in their order: an index of the big table would have to be made while nobody writes to it.
create table video.asset_metadata (
  asset_id uuid not null references video.assets (id) on delete cascade,
  key text not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  value text not null,
  created_at timestamptz not null,
  primary key (asset_id, key)
);

comment on column video.asset_metadata.created_at is 'That of the asset.';

create index asset_metadata_value on video.asset_metadata (org_id, key, value, created_at desc, asset_id desc);

-- What is fetched by its address.
create table video.imports (
  asset_id uuid primary key references video.assets (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  url text not null,
  state text not null default 'waiting' check (state in ('waiting', 'fetching', 'fetched', 'failed')),
  validator text,
  total bigint check (total >= 0),
  part_bytes integer not null default 16777216 check (part_bytes >= 5242880),
  received bigint not null default 0 check (received >= 0),
  whole boolean not null default false,
  storage_upload text,
  setbacks integer not null default 0,
  restarts integer not null default 0,
  turn_ends_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

comment on column video.imports.url is 'Without its query once nothing more is fetched: that may hold a signature.';
comment on column video.imports.validator is 'The entity tag or date by which the server knows whether it still has the same (RFC 9110 8.8); null when there is none to resume by.';
comment on column video.imports.setbacks is 'Connections in a row that brought nothing.';
comment on column video.imports.turn_ends_at is 'Until when a worker is at it: an organisation has some at once.';

create index imports_org on video.imports (org_id, turn_ends_at) where turn_ends_at is not null;

-- A rendition as one file, made when it is asked for.
create table video.mp4s (
  asset_id uuid not null references video.assets (id) on delete cascade,
  package_id uuid not null,
  rendition text not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  state text not null default 'queued' check (state in ('queued', 'ready', 'failed')),
  bytes bigint,
  created_at timestamptz not null default now(),
  primary key (asset_id, package_id, rendition)
);

create index mp4s_org on video.mp4s (org_id);
