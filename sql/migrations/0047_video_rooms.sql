create table video.rooms (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  max_participants integer not null check (max_participants > 0),
  record boolean not null default false,
  empty_timeout_seconds integer not null check (empty_timeout_seconds > 0),
  created_at timestamptz not null default now(),
  started_at timestamptz,
  empty_since timestamptz,
  ended_at timestamptz,
  end_reason text check (end_reason in ('ended', 'empty')),
  check ((ended_at is null) = (end_reason is null))
);

comment on table video.rooms is 'Where people meet, hear and see each other.';
comment on column video.rooms.started_at is 'When the first participant came.';
comment on column video.rooms.empty_since is 'When the last participant left; null while somebody is there, and before anybody came.';
comment on column video.rooms.end_reason is 'ended: by the API; empty: nobody came back within empty_timeout_seconds.';

create index rooms_org on video.rooms (org_id, id desc);
create index rooms_empty on video.rooms (empty_since) where ended_at is null and empty_since is not null;
create index rooms_ended on video.rooms (ended_at) where ended_at is not null;

-- A participant is an identity in a room: who comes back has the same row.
create table video.room_participants (
  room_id uuid not null references video.rooms (id) on delete cascade,
  participant_id uuid not null,
  identity text not null,
  display_name text not null,
  role text not null check (role in ('host', 'participant', 'viewer')),
  token_id uuid not null,
  worker_id uuid not null,
  connection_id uuid not null,
  state text not null default 'joined' check (state in ('joined', 'publishing', 'left')),
  tracks jsonb not null default '[]',
  joined_at timestamptz not null default clock_timestamp(),
  left_at timestamptz,
  left_reason text,
  kicked_at timestamptz,
  mute_requested text[] not null default '{}',
  primary key (room_id, participant_id),
  unique (room_id, identity),
  check ((state = 'left') = (left_at is not null))
);

comment on column video.room_participants.token_id is 'The token with which they came.';
comment on column video.room_participants.connection_id is 'Which connection of theirs the row tells of; a newer one replaces it.';
comment on column video.room_participants.state is 'publishing: the media server receives their media.';
comment on column video.room_participants.kicked_at is 'Set by the API for the worker, which puts them out.';
comment on column video.room_participants.mute_requested is 'Kinds of media that the API wants muted; the worker mutes them.';

create index room_participants_present on video.room_participants (room_id) where left_at is null;
create index room_participants_worker on video.room_participants (worker_id) where left_at is null;
create unique index room_participants_connection on video.room_participants (connection_id);

-- Tokens of those who were kicked.
create table video.room_dead_tokens (
  room_id uuid not null references video.rooms (id) on delete cascade,
  token_id uuid not null,
  primary key (room_id, token_id)
);

create table video.room_hosts (
  worker_id uuid primary key,
  gateway_url text not null,
  load integer not null default 0,
  lease_until timestamptz not null
);

comment on table video.room_hosts is 'Workers that take rooms.';
comment on column video.room_hosts.gateway_url is 'Where clients reach its signalling: ws://host:port or wss://host.';
comment on column video.room_hosts.load is 'Participants that it has.';

-- A room lives on one worker, which holds its row by a lease.
create table video.room_sessions (
  room_id uuid primary key references video.rooms (id) on delete cascade,
  worker_id uuid not null,
  gateway_url text not null,
  lease_until timestamptz not null,
  state text not null default 'assigned' check (state in ('assigned', 'open')),
  reconciled_at timestamptz
);

comment on column video.room_sessions.state is 'assigned: clients were told to go there; open: the worker has it.';
comment on column video.room_sessions.reconciled_at is 'When its participants were last compared with the media server.';

create index room_sessions_lapsed on video.room_sessions (lease_until);
create index room_sessions_worker on video.room_sessions (worker_id);

create table video.room_broadcasts (
  id uuid primary key,
  room_id uuid not null references video.rooms (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null references video.live_channels (id) on delete cascade,
  stream_key text not null,
  state text not null default 'starting' check (state in ('starting', 'live', 'ended', 'failed')),
  stop_requested boolean not null default false,
  end_reason text,
  message text,
  started_at timestamptz not null default now(),
  live_at timestamptz,
  ended_at timestamptz,
  check ((state in ('ended', 'failed')) = (ended_at is not null))
);

comment on table video.room_broadcasts is 'Rooms whose picture is published to a live channel.';
comment on column video.room_broadcasts.stream_key is 'Sealed.';
comment on column video.room_broadcasts.message is 'Why it failed, in a sentence for the room''s owner.';

create index room_broadcasts_room on video.room_broadcasts (room_id, id desc);
create unique index room_broadcasts_open on video.room_broadcasts (room_id) where ended_at is null;

create table video.room_recordings (
  id uuid primary key,
  room_id uuid not null references video.rooms (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid references video.assets (id) on delete set null,
  state text not null default 'starting' check (state in ('starting', 'recording', 'stored', 'recorded', 'failed')),
  message text,
  started_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state in ('starting', 'recording')) = (ended_at is null))
);

comment on column video.room_recordings.state is 'stored: what was recorded is in storage; recorded: it is an asset.';

create index room_recordings_room on video.room_recordings (room_id, id desc);
create unique index room_recordings_open on video.room_recordings (room_id) where ended_at is null;
