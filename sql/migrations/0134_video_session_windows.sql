alter table video.playback_sessions
  add column if not exists window_start double precision,
  add column if not exists window_end double precision;

comment on column video.playback_sessions.window_start is 'Start in seconds of the part of the video that the session can play. Null for the whole video.';
