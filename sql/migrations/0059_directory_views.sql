-- Views of a listed video: a viewer and day once.
alter table directory.videos add column views bigint not null default 0;

comment on column directory.videos.views is 'Viewers, each once a day of UTC, that are no programs.';

-- What viewers are hashed with on a day. When it is deleted, nobody can tell any more whether an address was among them.
create table directory.day_secrets (
  day date primary key,
  secret text not null default gen_random_uuid()::text || gen_random_uuid()::text
);

create table directory.viewers (
  video_id uuid not null references directory.videos (id) on delete cascade,
  day date not null,
  network text not null,
  agent text not null,
  primary key (video_id, day, network, agent)
);

comment on column directory.viewers.network is 'Hash of the video and the address (IPv6: its /64) with the secret of the day.';
comment on column directory.viewers.agent is 'The same of what the browser calls itself.';

create index viewers_day on directory.viewers (day);

create table directory.playlists (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  title text not null,
  description text not null default '',
  visibility text not null check (visibility in ('public', 'unlisted')),
  videos uuid[] not null default '{}' check (cardinality(videos) <= 500),
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz not null default date_trunc('milliseconds', now())
);

comment on column directory.playlists.visibility is 'public: listed; unlisted: whoever has the address finds it.';
comment on column directory.playlists.videos is 'In their order. Those that are not listed are kept in their places, and shown to nobody.';

create index playlists_org on directory.playlists (org_id, id desc);
create index playlists_public on directory.playlists (id desc) where visibility = 'public';

-- Sites that may show an organisation's players in a frame; without a row, all may.
create table video.embedding (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  origins text[] not null check (cardinality(origins) <= 100),
  updated_at timestamptz not null default now()
);
