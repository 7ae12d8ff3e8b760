-- What is made of a broadcast beside what its encoder sends, and what is shown while that is away.
alter table live.channels
  add column renditions integer[] not null default '{}',
  add column slate boolean not null default false;

comment on column live.channels.renditions is 'Heights that are made of what the encoder sends, beside it, from the next broadcast on.';
comment on column live.channels.slate is 'Whether viewers are shown a still picture while the publisher is away.';
