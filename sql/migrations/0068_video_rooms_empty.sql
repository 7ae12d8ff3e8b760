-- A room is empty from the moment it is made. Those to which nobody has come yet have their time from now on.
alter table video.rooms alter column empty_since set default clock_timestamp();

update video.rooms set empty_since = clock_timestamp()
where started_at is null and ended_at is null and empty_since is null;

comment on column video.rooms.empty_since is 'Since when nobody is there: from the start, until somebody comes; null while somebody is.';
comment on column video.rooms.end_reason is 'ended: by the API; empty: nobody came within empty_timeout_seconds.';
