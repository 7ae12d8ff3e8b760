alter table video.live_sessions add column takeovers integer not null default 0;

comment on column video.live_sessions.takeovers is
  'How often a worker took the broadcast over from another: each begins a playlist whose discontinuity sequence is beyond those before.';
