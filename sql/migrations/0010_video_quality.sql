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
