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
