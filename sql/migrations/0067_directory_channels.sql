create extension if not exists pg_trgm;

create schema directory;

-- How texts are compared: without case and accents.
create function directory.folded(given text) returns text language sql immutable parallel safe as $$
  select lower(regexp_replace(normalize(given, nfkd), '[\u0300-\u036f]', '', 'g'))
$$;

-- `array_to_string` is not immutable for all types, of texts it is.
create function directory.joined(texts text[]) returns text language sql immutable parallel safe as $$
  select array_to_string(texts, ' ')
$$;

-- What words are looked for in: names before tags before descriptions.
create function directory.searched(name text, tags text, description text) returns tsvector
language sql immutable parallel safe as $$
  select setweight(to_tsvector('simple', directory.folded(name)), 'A')
    || setweight(to_tsvector('simple', directory.folded(tags)), 'B')
    || setweight(to_tsvector('simple', directory.folded(description)), 'C')
$$;

-- Instants are kept in milliseconds, as cursors have them.
create table directory.channels (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  handle text not null unique check (handle ~ '^[a-z0-9][a-z0-9._-]*$'),
  name text not null,
  description text not null default '',
  language text,
  links text[] not null default '{}',
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  updated_at timestamptz not null default now(),
  folded text not null generated always as (directory.folded(name)) stored,
  search tsvector not null generated always as (directory.searched(name, handle, description)) stored
);

create index channels_org on directory.channels (org_id, id desc);
create index channels_search on directory.channels using gin (search);
create index channels_language on directory.channels (language, id);

-- One row for each asset that has ever been public, or been described: the asset's own facts are kept as they are there, by
-- the trigger below, and what the directory adds to them.
create table directory.videos (
  id uuid primary key references video.assets (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  listed boolean not null,
  published_at timestamptz,
  asset_title text,
  duration_seconds double precision,
  width integer,
  height integer,
  poster boolean not null,
  captions text[] not null,
  channel_id uuid references directory.channels (id) on delete set null,
  title text,
  description text not null default '',
  tags text[] not null default '{}',
  language text,
  kind text not null generated always as (
    case when height > width and duration_seconds <= 180 then 'short' else 'video' end
  ) stored,
  folded text not null generated always as (directory.folded(left(coalesce(title, asset_title, ''), 300))) stored,
  search tsvector not null generated always as (
    directory.searched(coalesce(title, asset_title, ''), directory.joined(tags), description)
  ) stored,
  was_live boolean not null default false,
  -- Views of a listed video: a viewer and day once.
  views bigint not null default 0,
  check (published_at is not null or not listed)
);

comment on column directory.videos.listed is 'The asset is public and ready. Nothing else is shown to anyone.';
comment on column directory.videos.published_at is 'When it was listed first.';
comment on column directory.videos.title is 'In place of the asset''s.';
comment on column directory.videos.was_live is 'The asset is the recording of a broadcast, whose id it has.';
comment on column directory.videos.views is 'Viewers, each once a day of UTC, that are no programs.';

create index videos_newest on directory.videos (published_at desc, id desc) where listed;
create index videos_kind on directory.videos (kind, published_at desc, id desc) where listed;
create index videos_org on directory.videos (org_id, published_at desc, id desc) where listed;
create index videos_channel on directory.videos (channel_id, published_at desc, id desc) include (kind) where listed;
create index videos_channel_all on directory.videos (channel_id) where channel_id is not null;
create index videos_search on directory.videos using gin (search) where listed;

-- A row for each broadcast, `listed` while it may be seen by all.
create table directory.live_streams (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  listed boolean not null default false,
  status text not null check (status in ('scheduled', 'live', 'ended')),
  channel_id uuid references directory.channels (id) on delete set null,
  title text not null,
  description text not null default '',
  language text,
  hls_path text,
  viewer_count integer not null default 0 check (viewer_count >= 0),
  scheduled_start_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default date_trunc('milliseconds', now()),
  folded text not null generated always as (directory.folded(title)) stored,
  search tsvector not null generated always as (directory.searched(title, '', description)) stored
);

comment on column directory.live_streams.hls_path is 'Of its playlist, below the platform''s own address.';

create index live_streams_status on directory.live_streams (status, id desc) where listed;
create index live_streams_channel on directory.live_streams (channel_id) where channel_id is not null;
create index live_streams_org on directory.live_streams (org_id);
create index live_streams_search on directory.live_streams using gin (search) where listed;

-- Every word that something listed has had, by which slips are put right. Numbers and short words are no slips of each other.
create table directory.words (
  word text primary key
);

create index words_like on directory.words using gin (word gin_trgm_ops);

-- In the words' order, so that two that add the same words wait for each other and not in a circle.
create function directory.learn_words() returns trigger language plpgsql as $$
begin
  insert into directory.words select lexeme from unnest(new.search) where lexeme ~ '^[^0-9]{4,40}$' order by lexeme
  on conflict do nothing;
  return null;
end
$$;

create trigger learn_words after insert or update of name, description on directory.channels for each row
  execute function directory.learn_words();

create trigger learn_words after insert or update of listed, asset_title, title, tags, description on directory.videos
  for each row when (new.listed) execute function directory.learn_words();

create trigger learn_words after insert or update of listed, title, description on directory.live_streams
  for each row when (new.listed) execute function directory.learn_words();

-- In the transaction that makes an asset public, makes it less than that, or deletes it, the directory follows.
create function directory.follow_asset() returns trigger language plpgsql as $$
declare
  is_listed boolean := new.visibility = 'public' and new.status = 'ready';
begin
  if new.status = 'deleted' then
    delete from directory.videos where id = new.id;
  elsif is_listed then
    insert into directory.videos as v
      (id, org_id, listed, published_at, asset_title, duration_seconds, width, height, poster, captions)
    values (new.id, new.org_id, true, date_trunc('milliseconds', now()), new.title, new.duration_seconds, new.width,
      new.height, new.poster, new.captions)
    on conflict (id) do update set listed = true, published_at = coalesce(v.published_at, excluded.published_at),
      asset_title = excluded.asset_title, duration_seconds = excluded.duration_seconds, width = excluded.width,
      height = excluded.height, poster = excluded.poster, captions = excluded.captions;
  else
    update directory.videos set listed = false where id = new.id and listed;
  end if;
  return null;
end
$$;

create trigger follow_new after insert on video.assets for each row
  when (new.visibility = 'public' and new.status = 'ready')
  execute function directory.follow_asset();

create trigger follow_change
  after update of visibility, status, title, duration_seconds, width, height, poster, captions on video.assets for each row
  when ((old.visibility, old.status, old.title, old.duration_seconds, old.width, old.height, old.poster, old.captions)
    is distinct from
    (new.visibility, new.status, new.title, new.duration_seconds, new.width, new.height, new.poster, new.captions))
  execute function directory.follow_asset();
