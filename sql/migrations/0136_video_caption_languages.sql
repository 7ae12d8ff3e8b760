-- Captions whose language the engine detects have the language `auto` until then.
alter table video.captions add column detects boolean not null default false;

comment on column video.captions.detects is 'The language was requested as auto. `language` has the detected one as soon as it is known.';

create unique index captions_detected on video.captions (asset_id) where detects;

-- Speech engine of each worker of the media pool, as the worker has announced it.
create table video.speech_engines (
  worker_id uuid primary key,
  engine text not null,
  languages text[] not null,
  detects boolean not null,
  announced_at timestamptz not null default now()
);
