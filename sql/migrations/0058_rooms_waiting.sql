-- How rooms are set while people are in them.
alter table rooms.rooms add column chat text not null default 'all';
alter table rooms.rooms add column waiting_room boolean not null default false;
alter table rooms.rooms add column layout text not null default 'grid';
alter table rooms.rooms add constraint rooms_chat_check check (chat in ('all', 'publishers', 'off')) not valid;
alter table rooms.rooms add constraint rooms_layout_check check (layout in ('grid', 'speaker', 'screen')) not valid;

comment on column rooms.rooms.chat is 'Who may write to others: all, publishers (hosts and participants), or nobody.';
comment on column rooms.rooms.waiting_room is 'Whoever is no host waits until a host, or the API, lets them in.';
comment on column rooms.rooms.layout is 'How the picture of a broadcast or recording is laid out.';

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
