create table video.captions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid not null references video.assets (id) on delete cascade,
  language text not null,
  state text not null default 'queued' check (state in ('queued', 'processing', 'ready', 'failed')),
  engine text,
  cues integer,
  failure_code text,
  failure_summary text,
  created_at timestamptz not null default now(),
  ready_at timestamptz,
  unique (asset_id, language)
);

create index captions_org on video.captions (org_id);

-- What was heard so far, stretch by stretch: whoever takes the work up again goes on after the last one.
create table video.caption_pieces (
  captions_id uuid not null references video.captions (id) on delete cascade,
  from_seconds double precision not null,
  to_seconds double precision not null,
  words jsonb not null,
  primary key (captions_id, from_seconds)
);

alter table video.assets add column captions text[] not null default '{}';

comment on column video.assets.captions is 'Languages of captions that viewers are offered; kept here, as every play reads this row.';
