create schema rooms;

-- Constraints and indexes are named `room_<table>_…`: every database in use has them by these names.
create table rooms.rooms (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  max_participants integer not null check (max_participants > 0),
  record boolean not null default false,
  empty_timeout_seconds integer not null check (empty_timeout_seconds > 0),
  created_at timestamptz not null default now(),
  started_at timestamptz,
  empty_since timestamptz default clock_timestamp(),
  ended_at timestamptz,
  end_reason text check (end_reason in ('ended', 'empty')),
  -- How rooms are set while people are in them.
  chat text not null default 'all' check (chat in ('all', 'publishers', 'off')),
  waiting_room boolean not null default false,
  layout text not null default 'grid' check (layout in ('grid', 'speaker', 'screen')),
  check ((ended_at is null) = (end_reason is null))
);

comment on table rooms.rooms is 'Where people meet, hear and see each other.';
comment on column rooms.rooms.started_at is 'When the first participant came.';
comment on column rooms.rooms.empty_since is 'Since when nobody is there: from the start, until somebody comes; null while somebody is.';
comment on column rooms.rooms.end_reason is 'ended: by the API; empty: nobody came within empty_timeout_seconds.';
comment on column rooms.rooms.chat is 'Who may write to others: all, publishers (hosts and participants), or nobody.';
comment on column rooms.rooms.waiting_room is 'Whoever is no host waits until a host, or the API, lets them in.';
comment on column rooms.rooms.layout is 'How the picture of a broadcast or recording is laid out.';

create index rooms_org on rooms.rooms (org_id, id desc);
create index rooms_empty on rooms.rooms (empty_since) where ended_at is null and empty_since is not null;
create index rooms_ended on rooms.rooms (ended_at) where ended_at is not null;

-- A participant is an identity in a room: who comes back has the same row.
create table rooms.participants (
  room_id uuid not null constraint room_participants_room_id_fkey references rooms.rooms (id) on delete cascade,
  participant_id uuid not null,
  identity text not null,
  display_name text not null,
  role text not null constraint room_participants_role_check check (role in ('host', 'participant', 'viewer')),
  token_id uuid not null,
  worker_id uuid not null,
  connection_id uuid not null,
  state text not null default 'joined' constraint room_participants_state_check check (state in ('joined', 'publishing', 'left')),
  tracks jsonb not null default '[]',
  joined_at timestamptz not null default clock_timestamp(),
  left_at timestamptz,
  left_reason text,
  kicked_at timestamptz,
  mute_requested text[] not null default '{}',
  constraint room_participants_pkey primary key (room_id, participant_id),
  constraint room_participants_room_id_identity_key unique (room_id, identity),
  constraint room_participants_check check ((state = 'left') = (left_at is not null))
);

comment on column rooms.participants.token_id is 'The token with which they came.';
comment on column rooms.participants.connection_id is 'Which connection of theirs the row tells of; a newer one replaces it.';
comment on column rooms.participants.state is 'publishing: the media server receives their media.';
comment on column rooms.participants.kicked_at is 'Set by the API for the worker, which puts them out.';
comment on column rooms.participants.mute_requested is 'Kinds of media that the API wants muted; the worker mutes them.';

create index room_participants_present on rooms.participants (room_id) where left_at is null;
create index room_participants_worker on rooms.participants (worker_id) where left_at is null;
create unique index room_participants_connection on rooms.participants (connection_id);

-- Tokens of those who were kicked.
create table rooms.dead_tokens (
  room_id uuid not null constraint room_dead_tokens_room_id_fkey references rooms.rooms (id) on delete cascade,
  token_id uuid not null,
  constraint room_dead_tokens_pkey primary key (room_id, token_id)
);

create table rooms.hosts (
  worker_id uuid constraint room_hosts_pkey primary key,
  gateway_url text not null,
  load integer not null default 0
);

comment on table rooms.hosts is 'Workers that take rooms.';
comment on column rooms.hosts.worker_id is 'Of jobs.workers.';
comment on column rooms.hosts.gateway_url is 'Where clients reach its signalling: ws://host:port or wss://host.';
comment on column rooms.hosts.load is 'Participants that it has.';

-- A room lives on one worker.
create table rooms.sessions (
  room_id uuid
    constraint room_sessions_pkey primary key
    constraint room_sessions_room_id_fkey references rooms.rooms (id) on delete cascade,
  worker_id uuid not null,
  gateway_url text not null,
  state text not null default 'assigned' constraint room_sessions_state_check check (state in ('assigned', 'open')),
  reconciled_at timestamptz,
  assigned_at timestamptz not null default clock_timestamp()
);

comment on table rooms.sessions is 'Where rooms live, as long as the worker''s lease holds.';
comment on column rooms.sessions.state is 'assigned: clients were told to go there; open: the worker has it.';
comment on column rooms.sessions.reconciled_at is 'When its participants were last compared with the media server.';
comment on column rooms.sessions.assigned_at is 'When clients were told of the worker, to which the first of them has to come soon.';

create index room_sessions_worker on rooms.sessions (worker_id);

create table rooms.broadcasts (
  id uuid constraint room_broadcasts_pkey primary key,
  room_id uuid not null constraint room_broadcasts_room_id_fkey references rooms.rooms (id) on delete cascade,
  org_id uuid not null constraint room_broadcasts_org_id_fkey references account.orgs (id) on delete cascade,
  channel_id uuid not null constraint room_broadcasts_channel_id_fkey references live.channels (id) on delete cascade,
  stream_key text not null,
  state text not null default 'starting'
    constraint room_broadcasts_state_check check (state in ('starting', 'live', 'ended', 'failed')),
  stop_requested boolean not null default false,
  end_reason text,
  message text,
  started_at timestamptz not null default now(),
  live_at timestamptz,
  ended_at timestamptz,
  constraint room_broadcasts_check check ((state in ('ended', 'failed')) = (ended_at is not null))
);

comment on table rooms.broadcasts is 'Rooms whose picture is published to a live channel.';
comment on column rooms.broadcasts.stream_key is 'Sealed.';
comment on column rooms.broadcasts.message is 'Why it failed, in a sentence for the room''s owner.';

create index room_broadcasts_room on rooms.broadcasts (room_id, id desc);
create unique index room_broadcasts_open on rooms.broadcasts (room_id) where ended_at is null;

create table rooms.recordings (
  id uuid constraint room_recordings_pkey primary key,
  room_id uuid not null constraint room_recordings_room_id_fkey references rooms.rooms (id) on delete cascade,
  org_id uuid not null constraint room_recordings_org_id_fkey references account.orgs (id) on delete cascade,
  asset_id uuid constraint room_recordings_asset_id_fkey references video.assets (id) on delete set null,
  state text not null default 'starting'
    constraint room_recordings_state_check check (state in ('starting', 'recording', 'stored', 'recorded', 'failed')),
  message text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  constraint room_recordings_check check ((state in ('starting', 'recording')) = (ended_at is null))
);

comment on column rooms.recordings.state is 'stored: what was recorded is in storage; recorded: it is an asset.';

create index room_recordings_room on rooms.recordings (room_id, id desc);
create unique index room_recordings_open on rooms.recordings (room_id) where ended_at is null;
-- A deleted asset is looked for in all recordings.
create index recordings_asset on rooms.recordings (asset_id) where asset_id is not null;

-- What a room's recording is made of: objects in storage, in the order in which they came.
create table rooms.chunks (
  recording_id uuid not null constraint room_chunks_recording_id_fkey references rooms.recordings (id) on delete cascade,
  number integer not null,
  epoch integer not null default 0,
  key text not null,
  bytes bigint not null,
  created_at timestamptz not null default now(),
  constraint room_chunks_pkey primary key (recording_id, number)
);

comment on column rooms.chunks.epoch is 'Grows with each compositor: each has an initialisation segment of its own.';

-- Who waits, or has waited, by the token with which they came: one that was admitted comes back without waiting.
create table rooms.waiting (
  room_id uuid not null references rooms.rooms (id) on delete cascade,
  waiting_id uuid not null,
  identity text not null,
  display_name text not null,
  role text not null check (role in ('host', 'participant', 'viewer')),
  token_id uuid not null,
  worker_id uuid not null,
  connection_id uuid not null,
  state text not null default 'waiting' check (state in ('waiting', 'admitted', 'refused')),
  since timestamptz not null default clock_timestamp(),
  gone_at timestamptz,
  primary key (room_id, token_id),
  unique (room_id, waiting_id)
);

comment on column rooms.waiting.connection_id is 'Which connection of theirs waits; a newer one replaces it.';
comment on column rooms.waiting.gone_at is 'When that connection was over, or has come in.';

create index waiting_worker on rooms.waiting (worker_id) where gone_at is null;

-- Where a room's picture is sent to, beside or instead of a live channel.
create table rooms.restreams (
  id uuid constraint room_restreams_pkey primary key,
  org_id uuid not null constraint room_restreams_org_id_fkey references account.orgs (id) on delete cascade,
  room_id uuid not null constraint room_restreams_room_id_fkey references rooms.rooms (id) on delete cascade,
  name text not null,
  url text not null,
  stream_key text not null,
  enabled boolean not null default true,
  state text constraint room_restreams_state_check check (state in ('connecting', 'live', 'failed')),
  reason text constraint room_restreams_reason_check check (reason in (
    'address_refused', 'unresolved', 'connection_failed', 'tls_failed', 'timed_out', 'refused', 'ended', 'too_slow', 'protocol',
    'key_unreadable', 'publisher_away')),
  told_at timestamptz,
  created_at timestamptz not null default now()
);

comment on column rooms.restreams.stream_key is 'Sealed: whoever publishes needs the text itself; empty once the room has ended.';
comment on column rooms.restreams.state is 'As the worker that has the room told last; what was told before it opened the room says nothing.';

create index room_restreams_room on rooms.restreams (room_id, id desc);
create index room_restreams_org on rooms.restreams (org_id);
create index room_restreams_enabled on rooms.restreams (room_id) where enabled;
