-- Audio tracks that are added to a finished video.
create table video.sounds (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid not null references video.assets (id) on delete cascade,
  source_asset_id uuid not null,
  language text not null,
  name text,
  is_default boolean not null default false,
  state text not null default 'queued' check (state in ('queued', 'ready', 'failed')),
  failure_code text,
  failure_summary text,
  package_id uuid,
  bytes bigint,
  created_at timestamptz not null default now()
);

comment on column video.sounds.source_asset_id is 'Asset whose audio the track contains. It can be deleted when the track is ready.';

create index sounds_of_asset on video.sounds (asset_id, id);
create index sounds_of_org on video.sounds (org_id);

select account.fence_closed('video.sounds');
