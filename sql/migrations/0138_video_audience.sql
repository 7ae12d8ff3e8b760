-- What a view keeps of its viewer: the beacons after the first one count for the same values.
alter table video.views
  add column country text,
  add column device text,
  add column browser text,
  add column page text;

comment on column video.views.page is 'Origin and path of the web page, without its query.';

create table video.audience_days (
  asset_id uuid not null references video.assets (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  dimension text not null check (dimension in ('all', 'country', 'device', 'browser', 'page', 'error')),
  value text not null,
  plays integer not null default 0,
  viewers integer not null default 0,
  failed_plays integer not null default 0,
  errors bigint not null default 0,
  play_ms bigint not null default 0,
  measured integer not null default 0,
  tenths integer[] not null default '{0,0,0,0,0,0,0,0,0,0}',
  primary key (asset_id, dimension, day, value)
);

comment on table video.audience_days is 'Plays of a video by day (UTC), and by one property of the viewer. The value of the dimension all is empty.';
comment on column video.audience_days.measured is 'Plays that reported which tenths of the video they played.';

create index audience_days_of_org on video.audience_days (org_id, dimension, day) include (asset_id, plays, viewers, failed_plays, errors, play_ms);
create index audience_days_day on video.audience_days (day);

create table video.audience_org_days (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  dimension text not null check (dimension in ('all', 'country', 'device', 'browser', 'page', 'error')),
  value text not null,
  plays integer not null default 0,
  viewers integer not null default 0,
  failed_plays integer not null default 0,
  errors bigint not null default 0,
  play_ms bigint not null default 0,
  measured integer not null default 0,
  tenths integer[] not null default '{0,0,0,0,0,0,0,0,0,0}',
  primary key (org_id, dimension, day, value)
);

create index audience_org_days_day on video.audience_org_days (day);

create table video.audience_viewers (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  scope_id uuid not null,
  network text not null,
  viewer text not null,
  primary key (org_id, day, scope_id, network, viewer)
);

comment on table video.audience_viewers is 'Viewers of a video or an organisation on a day, as hashes that only the secret of the day can reproduce.';
comment on column video.audience_viewers.scope_id is 'The asset or the organisation.';

create index audience_viewers_day on video.audience_viewers (day);
