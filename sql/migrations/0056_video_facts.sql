-- What owners say of their videos; defaults are constants, so that no row is written.
alter table video.assets
  add column description text,
  add column metadata jsonb not null default '{}',
  add column caption_tracks jsonb not null default '[]',
  -- One that is fetched has no bytes yet.
  drop constraint assets_bytes_check,
  add constraint assets_bytes check (bytes >= 0) not valid;

comment on column video.assets.caption_tracks is 'What players are told of the captions that viewers are offered, one for each language; kept here, as every play reads this row.';

-- Lists go by when an asset was made: the id of a recording is that of its broadcast, and older.
create index if not exists assets_made on video.assets (org_id, created_at desc, id desc);
create index if not exists assets_made_status on video.assets (org_id, status, created_at desc, id desc);
create index if not exists assets_made_visibility on video.assets (org_id, visibility, created_at desc, id desc);
create index if not exists assets_external_ref on video.assets (org_id, external_ref, created_at desc, id desc)
  where external_ref is not null;
drop index video.assets_org;
drop index video.assets_org_status;

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

-- Captions of one's own have their text in the row: it is in storage where a program wrote them.
alter table video.captions
  add column source text not null default 'automatic',
  add column name text,
  add column is_default boolean not null default false,
  add column revision integer not null default 0,
  add column body text,
  add constraint captions_source_check check (source in ('automatic', 'uploaded', 'corrected')) not valid;

comment on column video.captions.revision is 'Grows with each text that takes the place of another.';

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

create index if not exists playback_sessions_org on video.playback_sessions (org_id, id desc);
create index if not exists playback_sessions_of_viewer on video.playback_sessions (org_id, viewer_id, id desc)
  where viewer_id is not null;
create index if not exists playback_sessions_of_asset on video.playback_sessions (asset_id, id desc) where asset_id is not null;
create index if not exists playback_sessions_of_channel on video.playback_sessions (channel_id, id desc)
  where channel_id is not null;
drop index video.playback_sessions_asset;
drop index video.playback_sessions_channel;

-- A plan of the operator's own goes on as it is.
alter table account.plans add column video_lines integer not null default 1080;
update account.plans set video_lines = 2160 where name in ('pro', 'unlimited');

comment on column account.plans.video_lines is 'Lines of the largest rendition: the short side of the picture.';
