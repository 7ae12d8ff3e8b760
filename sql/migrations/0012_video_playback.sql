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

create index playback_sessions_asset on video.playback_sessions (asset_id);
create index playback_sessions_expired on video.playback_sessions (expires_at);
create index playback_sessions_viewer on video.playback_sessions (org_id, viewer_id, expires_at)
  where viewer_id is not null and revoked_at is null;
create index playback_sessions_channel on video.playback_sessions (channel_id) where channel_id is not null;

-- How plays went, as players tell. A view is counted once, however often and in whatever order its beacons come.
create table video.views (
  session_id uuid not null,
  view_id text not null,
  asset_id uuid not null references video.assets (id) on delete cascade,
  sequence integer not null,
  counted jsonb not null,
  before jsonb,
  created_at timestamptz not null default now(),
  primary key (session_id, view_id)
) with (fillfactor = 60);

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
