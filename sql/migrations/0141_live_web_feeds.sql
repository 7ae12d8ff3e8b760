-- Broadcasts of encoders that a worker of the rooms pool currently sends to WebRTC viewers.
create table live.web_feeds (
  channel_id uuid not null references live.channels (id) on delete cascade,
  worker_id uuid not null,
  viewers integer not null default 0,
  told_at timestamptz not null default clock_timestamp(),
  primary key (channel_id, worker_id)
);

create index web_feeds_worker on live.web_feeds (worker_id);
