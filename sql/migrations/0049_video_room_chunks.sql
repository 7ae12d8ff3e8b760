-- What a room's recording is made of: objects in storage, in the order in which they came.
create table video.room_chunks (
  recording_id uuid not null references video.room_recordings (id) on delete cascade,
  number integer not null,
  epoch integer not null default 0,
  key text not null,
  bytes bigint not null,
  created_at timestamptz not null default now(),
  primary key (recording_id, number)
);

comment on column video.room_chunks.epoch is 'Grows with each compositor: each has an initialisation segment of its own.';
