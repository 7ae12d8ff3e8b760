-- Who watches a publisher by WHEP, told by the worker that has both: a channel's viewers are these and those by HLS.
alter table live.web_publishers add column viewers integer not null default 0
  constraint live_web_publishers_viewers_check check (viewers >= 0);

comment on column live.web_publishers.viewers is 'Who watches it by WHEP, as its worker told last.';

-- From now on they are forgotten in the transaction that ends the room.
update rooms.restreams as r set stream_key = '', enabled = false
from rooms.rooms as o
where o.id = r.room_id and o.ended_at is not null and r.stream_key <> '';
