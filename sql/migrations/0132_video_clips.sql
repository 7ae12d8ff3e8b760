-- Constants as defaults, so that no row is written.
alter table video.assets
  add column if not exists clipped_from jsonb,
  add column if not exists chapters jsonb not null default '[]',
  add column if not exists has_chapters boolean not null default false,
  add column if not exists own_poster uuid,
  add column if not exists only_own_poster boolean not null default false,
  add column if not exists preview jsonb,
  add column if not exists sound_tracks jsonb not null default '[]';

comment on column video.assets.clipped_from is 'Asset or broadcast from which the clip was cut, with the start and end in seconds. Null if the asset is not a clip.';
comment on column video.assets.has_chapters is 'Whether chapters exist. Every play reads this column and not the chapters.';
comment on column video.assets.own_poster is 'ID of the image that the owner chose as the poster. Null for the automatic poster.';
comment on column video.assets.only_own_poster is 'Whether the automatic poster is missing.';
comment on column video.assets.preview is 'Animated preview: its settings, state and the ID of its object.';
comment on column video.assets.sound_tracks is 'Added audio tracks that players offer. Every play reads this column.';
