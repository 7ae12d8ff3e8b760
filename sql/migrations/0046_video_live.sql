create table video.live_channels (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  slug text not null,
  record boolean not null default true,
  dvr_seconds integer not null default 0 check (dvr_seconds between 0 and 43200),
  primary_hash text not null,
  backup_hash text not null,
  srt_port integer check (srt_port between 1 and 65535),
  srt_passphrase text not null,
  closed_until timestamptz,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);

comment on table video.live_channels is 'Whither customers broadcast. A stream key is kept as its SHA-256 alone.';
comment on column video.live_channels.srt_port is 'UDP port of its SRT listener; null when the range had none left.';
comment on column video.live_channels.srt_passphrase is 'Sealed: an SRT listener needs the text itself.';
comment on column video.live_channels.closed_until is 'Publishers are refused until then: an encoder reconnects by itself after its broadcast was ended.';

create index live_channels_org on video.live_channels (org_id, id desc) where deleted_at is null;
create unique index live_channels_slug on video.live_channels (org_id, slug) where deleted_at is null;
create unique index live_channels_srt_port on video.live_channels (srt_port) where deleted_at is null;
create unique index live_channels_primary on video.live_channels (primary_hash) where deleted_at is null;
create unique index live_channels_backup on video.live_channels (backup_hash) where deleted_at is null;

create table video.live_broadcasts (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null references video.live_channels (id) on delete cascade,
  record boolean not null,
  started_at timestamptz not null default now(),
  live_at timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in ('stopped', 'silent', 'ended', 'deleted', 'lost', 'failed')),
  asset_id uuid references video.assets (id) on delete set null,
  recorded_at timestamptz
);

comment on column video.live_broadcasts.record is 'Whether the channel recorded when this began.';
comment on column video.live_broadcasts.live_at is 'When it could first be watched.';
comment on column video.live_broadcasts.end_reason is
  'stopped: by the encoder; silent: nothing came any more; ended, deleted: by the API; lost: its worker died and no encoder came back; failed: it could not be packaged.';
comment on column video.live_broadcasts.recorded_at is 'When its recording could first be played.';

create index live_broadcasts_channel on video.live_broadcasts (channel_id, id desc);
create index live_broadcasts_unrecorded on video.live_broadcasts (ended_at) where record and recorded_at is null;
create index live_broadcasts_ended on video.live_broadcasts (ended_at desc) where ended_at is not null;
create index live_broadcasts_open on video.live_broadcasts (started_at) where ended_at is null;
create index live_broadcasts_asset on video.live_broadcasts (asset_id) where asset_id is not null;

-- The worker that has a channel holds its row by a lease; without one, the channel is idle.
create table video.live_sessions (
  channel_id uuid primary key references video.live_channels (id) on delete cascade,
  worker_id uuid not null,
  origin_url text not null,
  lease_until timestamptz not null,
  state text not null default 'connecting' check (state in ('connecting', 'live')),
  source text not null check (source in ('primary', 'backup', 'srt')),
  facts jsonb not null default '{}',
  bit_rates integer[] not null default '{}',
  last_part_at timestamptz,
  end_requested text check (end_requested in ('ended', 'deleted')),
  broadcast_id uuid not null references video.live_broadcasts (id) on delete cascade,
  started_at timestamptz not null default now()
);

comment on column video.live_sessions.origin_url is 'Where ingress reaches the worker''s origin: http://host:port.';
comment on column video.live_sessions.bit_rates is 'Bits a second at the last renewals of the lease, the newest last.';
comment on column video.live_sessions.end_requested is 'The API wants the broadcast to end; the worker ends it.';

create index live_sessions_lapsed on video.live_sessions (lease_until);

-- What a recording is made of: objects in storage, in the order in which they came.
create table video.live_chunks (
  broadcast_id uuid not null references video.live_broadcasts (id) on delete cascade,
  number integer not null,
  epoch integer not null default 0,
  key text not null,
  bytes bigint not null,
  duration_seconds double precision not null,
  created_at timestamptz not null default now(),
  primary key (broadcast_id, number)
);

comment on column video.live_chunks.epoch is 'Grows when a publisher returns with other parameters: each has an initialisation segment of its own.';

-- A viewer's session is for an asset or for a channel; both count against the viewer's sessions.
alter table video.playback_sessions alter column asset_id drop not null;
alter table video.playback_sessions
  add column channel_id uuid references video.live_channels (id) on delete cascade,
  add constraint playback_sessions_one check (num_nonnulls(asset_id, channel_id) = 1);

create index playback_sessions_channel on video.playback_sessions (channel_id) where channel_id is not null;
