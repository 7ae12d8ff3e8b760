create schema live;

-- Constraints and indexes are named `live_<table>_…`: every database in use has them by these names.
create table live.channels (
  id uuid constraint live_channels_pkey primary key,
  org_id uuid not null constraint live_channels_org_id_fkey references account.orgs (id) on delete cascade,
  name text not null,
  slug text not null,
  record boolean not null default true,
  dvr_seconds integer not null default 0 constraint live_channels_dvr_seconds_check check (dvr_seconds between 0 and 43200),
  primary_hash text not null,
  backup_hash text not null,
  srt_port integer constraint live_channels_srt_port_check check (srt_port between 1 and 65535),
  srt_passphrase text not null,
  closed_until timestamptz,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  visibility text not null default 'signed'
    constraint live_channels_visibility check (visibility in ('signed', 'unlisted', 'public')),
  directory_id uuid constraint live_channels_directory_id_fkey references directory.channels (id) on delete set null,
  former_primary_hash text,
  former_backup_hash text,
  -- What is made of a broadcast beside what its encoder sends, and what is shown while that is away.
  renditions integer[] not null default '{}',
  slate boolean not null default false
);

comment on table live.channels is 'Whither customers broadcast. A stream key is kept as its SHA-256 alone.';
comment on column live.channels.srt_port is 'UDP port of its SRT listener; null when the range had none left.';
comment on column live.channels.srt_passphrase is 'Sealed: an SRT listener needs the text itself.';
comment on column live.channels.closed_until is 'Publishers are refused until then: an encoder reconnects by itself after its broadcast was ended.';
comment on column live.channels.visibility is
  'signed: by a playback session alone; unlisted: by whoever has the address; public: the directory lists its broadcasts, too.';
comment on column live.channels.directory_id is 'The channel of the directory that its broadcasts are found under.';
comment on column live.channels.former_primary_hash is
  'Of the key before the last rotation: it opens nothing, but its publisher is told of.';
comment on column live.channels.renditions is 'Heights that are made of what the encoder sends, beside it, from the next broadcast on.';
comment on column live.channels.slate is 'Whether viewers are shown a still picture while the publisher is away.';

create index live_channels_org on live.channels (org_id, id desc) where deleted_at is null;
create unique index live_channels_slug on live.channels (org_id, slug) where deleted_at is null;
create unique index live_channels_srt_port on live.channels (srt_port) where deleted_at is null;
create unique index live_channels_primary on live.channels (primary_hash) where deleted_at is null;
create unique index live_channels_backup on live.channels (backup_hash) where deleted_at is null;
create index live_channels_directory on live.channels (directory_id) where directory_id is not null;
create index live_channels_former_primary on live.channels (former_primary_hash)
  where deleted_at is null and former_primary_hash is not null;
create index live_channels_former_backup on live.channels (former_backup_hash)
  where deleted_at is null and former_backup_hash is not null;

create table live.broadcasts (
  id uuid constraint live_broadcasts_pkey primary key,
  org_id uuid not null constraint live_broadcasts_org_id_fkey references account.orgs (id) on delete cascade,
  channel_id uuid not null constraint live_broadcasts_channel_id_fkey references live.channels (id) on delete cascade,
  record boolean not null,
  started_at timestamptz not null default now(),
  live_at timestamptz,
  ended_at timestamptz,
  end_reason text
    constraint live_broadcasts_end_reason_check check (end_reason in ('stopped', 'silent', 'ended', 'deleted', 'lost', 'failed')),
  asset_id uuid constraint live_broadcasts_asset_id_fkey references video.assets (id) on delete set null,
  recorded_at timestamptz
);

comment on column live.broadcasts.record is 'Whether the channel recorded when this began.';
comment on column live.broadcasts.live_at is 'When it could first be watched.';
comment on column live.broadcasts.end_reason is
  'stopped: by the encoder; silent: nothing came any more; ended, deleted: by the API; lost: its worker died and no encoder came back; failed: it could not be packaged.';
comment on column live.broadcasts.recorded_at is 'When its recording could first be played.';

create index live_broadcasts_channel on live.broadcasts (channel_id, id desc);
create index live_broadcasts_unrecorded on live.broadcasts (ended_at) where record and recorded_at is null;
create index live_broadcasts_ended on live.broadcasts (ended_at desc) where ended_at is not null;
create index live_broadcasts_open on live.broadcasts (started_at) where ended_at is null;
create index live_broadcasts_asset on live.broadcasts (asset_id) where asset_id is not null;

create table live.sessions (
  channel_id uuid
    constraint live_sessions_pkey primary key
    constraint live_sessions_channel_id_fkey references live.channels (id) on delete cascade,
  worker_id uuid,
  origin_url text not null,
  state text not null default 'connecting' constraint live_sessions_state_check check (state in ('connecting', 'live')),
  source text not null constraint live_sessions_source_check check (source in ('primary', 'backup', 'srt')),
  facts jsonb not null default '{}',
  bit_rates integer[] not null default '{}',
  last_part_at timestamptz,
  end_requested text constraint live_sessions_end_requested_check check (end_requested in ('ended', 'deleted')),
  broadcast_id uuid not null constraint live_sessions_broadcast_id_fkey references live.broadcasts (id) on delete cascade,
  started_at timestamptz not null default now(),
  takeovers integer not null default 0,
  given_up_at timestamptz
);

comment on table live.sessions is 'Who has a channel, as long as the worker''s lease holds; of one without a row nobody has the broadcast.';
comment on column live.sessions.worker_id is 'Of jobs.workers; null while its broadcast waits for another.';
comment on column live.sessions.origin_url is 'Where ingress reaches the worker''s origin: http://host:port.';
comment on column live.sessions.bit_rates is 'Bits a second as the worker told them last, the newest last.';
comment on column live.sessions.end_requested is 'The API wants the broadcast to end; the worker ends it.';
comment on column live.sessions.takeovers is
  'How often a worker took the broadcast over from another: each begins a playlist whose discontinuity sequence is beyond those before.';
comment on column live.sessions.given_up_at is 'When its worker gave the channel up, with its broadcast open.';

-- What a recording is made of: objects in storage, in the order in which they came.
create table live.chunks (
  broadcast_id uuid not null constraint live_chunks_broadcast_id_fkey references live.broadcasts (id) on delete cascade,
  number integer not null,
  epoch integer not null default 0,
  key text not null,
  bytes bigint not null,
  duration_seconds double precision not null,
  created_at timestamptz not null default now(),
  constraint live_chunks_pkey primary key (broadcast_id, number)
);

comment on column live.chunks.epoch is 'Grows when a publisher returns with other parameters: each has an initialisation segment of its own.';

-- One row a channel: a publisher that comes again and again overwrites its reason.
create table live.refusals (
  channel_id uuid
    constraint live_refusals_pkey primary key
    constraint live_refusals_channel_id_fkey references live.channels (id) on delete cascade,
  source text not null constraint live_refusals_source_check check (source in ('primary', 'backup', 'srt')),
  reason text not null constraint live_refusals_reason_check check (reason in (
    'key_rotated', 'key_in_use', 'standby', 'closed', 'plan_full', 'elsewhere', 'silent', 'no_key_frame', 'unsupported_codecs',
    'port_taken')),
  refused_at timestamptz not null default clock_timestamp()
);

comment on table live.refusals is 'The last publisher of a channel that was refused, dropped or kept waiting, and why.';

create index live_refusals_refused on live.refusals (refused_at desc);

-- Where a channel's broadcasts are sent on to, while they last.
create table live.restreams (
  id uuid constraint live_restreams_pkey primary key,
  org_id uuid not null constraint live_restreams_org_id_fkey references account.orgs (id) on delete cascade,
  channel_id uuid not null constraint live_restreams_channel_id_fkey references live.channels (id) on delete cascade,
  name text not null,
  url text not null,
  stream_key text not null,
  enabled boolean not null default true,
  state text constraint live_restreams_state_check check (state in ('connecting', 'live', 'failed')),
  reason text constraint live_restreams_reason_check check (reason in (
    'address_refused', 'unresolved', 'connection_failed', 'tls_failed', 'timed_out', 'refused', 'ended', 'too_slow', 'protocol',
    'key_unreadable', 'publisher_away')),
  told_at timestamptz,
  created_at timestamptz not null default now()
);

comment on column live.restreams.stream_key is 'Sealed: whoever publishes needs the text itself.';
comment on column live.restreams.state is 'As the worker that has the channel told last; of a broadcast that began after told_at it says nothing.';

create index live_restreams_channel on live.restreams (channel_id, id desc);
create index live_restreams_org on live.restreams (org_id);

-- Who publishes to a channel by WHIP now: one for each of its keys, on one worker of pool rooms.
create table live.web_publishers (
  id uuid constraint live_web_publishers_pkey primary key,
  channel_id uuid not null constraint live_web_publishers_channel_id_fkey references live.channels (id) on delete cascade,
  source text not null constraint live_web_publishers_source_check check (source in ('primary', 'backup')),
  worker_id uuid not null,
  ice_ufrag text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Who watches a publisher by WHEP, told by the worker that has both: a channel's viewers are these and those by HLS.
  viewers integer not null default 0
  constraint live_web_publishers_viewers_check check (viewers >= 0),
  constraint live_web_publishers_key unique (channel_id, source)
);

comment on table live.web_publishers is 'Who publishes by WHIP, as long as the worker''s lease holds.';
comment on column live.web_publishers.worker_id is 'Of jobs.workers; the worker of pool rooms whose media server they are connected to.';
comment on column live.web_publishers.ice_ufrag is 'Of the offer: candidates under another one ask for a restart of ICE, which is refused.';
comment on column live.web_publishers.viewers is 'Who watches it by WHEP, as its worker told last.';

create index live_web_publishers_worker on live.web_publishers (worker_id);
