-- Links with which people without a token of their own join a room under a name that they enter.
create table rooms.guest_links (
  id uuid primary key,
  room_id uuid not null references rooms.rooms (id) on delete cascade,
  role text not null check (role in ('participant', 'viewer')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  guests integer not null default 0
);

comment on column rooms.guest_links.guests is 'Number of tokens that guests received with the link.';

create index guest_links_room on rooms.guest_links (room_id, id desc);
