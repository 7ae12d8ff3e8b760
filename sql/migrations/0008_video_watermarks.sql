create table video.watermarks (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text,
  bytes integer not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg')),
  width integer not null,
  height integer not null,
  state text not null default 'checking' check (state in ('checking', 'ready')),
  created_at timestamptz not null default now()
);

comment on column video.watermarks.state is 'checking until a media worker has decoded it once; only then it is listed and used.';

create index watermarks_org on video.watermarks (org_id, id desc);
create index watermarks_unchecked on video.watermarks (created_at) where state = 'checking';

alter table video.assets add column watermark jsonb;
alter table video.assets add column deleted_at timestamptz;

comment on column video.assets.watermark is 'watermarkId, position and opacity, as the upload asked for them.';

alter table video.assets drop constraint assets_status_check;
alter table video.assets add constraint assets_status_check
  check (status in ('uploading', 'processing', 'ready', 'failed', 'aborted', 'deleted'));
