create function directory.note_recording() returns trigger language plpgsql as $$
begin
  new.was_live := exists (select from live.broadcasts where id = new.id);
  return new;
end
$$;

create trigger note_recording before insert on directory.videos for each row execute function directory.note_recording();

-- The directory has a row for each broadcast that all could watch while it lasted.
create function directory.list_broadcast(broadcast live.broadcasts) returns void language sql as $$
  insert into directory.live_streams as s
    (id, org_id, listed, status, channel_id, title, language, hls_path, started_at, ended_at)
  select broadcast.id, broadcast.org_id, true, case when broadcast.ended_at is null then 'live' else 'ended' end, c.directory_id,
    c.name, d.language, case when broadcast.ended_at is null then '/v1/stream/live/open/' || c.id || '/index.m3u8' end,
    broadcast.live_at, broadcast.ended_at
  from live.channels as c left join directory.channels as d on d.id = c.directory_id
  where c.id = broadcast.channel_id and c.visibility = 'public' and c.deleted_at is null
  on conflict (id) do update set listed = true, status = excluded.status, channel_id = excluded.channel_id,
    title = excluded.title, language = excluded.language, hls_path = excluded.hls_path, ended_at = excluded.ended_at,
    viewer_count = case when excluded.status = 'live' then s.viewer_count else 0 end
$$;

-- In the transaction in which a broadcast can be watched, or ends, the directory follows.
create function directory.follow_broadcast() returns trigger language plpgsql as $$
begin
  if new.ended_at is null then
    perform directory.list_broadcast(new);
  else
    update directory.live_streams set status = 'ended', ended_at = new.ended_at, hls_path = null, viewer_count = 0
    where id = new.id;
  end if;
  return null;
end
$$;

create trigger follow_broadcast after update of live_at, ended_at on live.broadcasts for each row
  when (new.live_at is not null and (old.live_at, old.ended_at) is distinct from (new.live_at, new.ended_at))
  execute function directory.follow_broadcast();

-- In that in which a channel is made public, or less than that, or is deleted: the broadcast under way is listed with those that
-- were, or none of them is.
create function directory.follow_live_channel() returns trigger language plpgsql as $$
declare
  broadcast live.broadcasts;
begin
  if new.visibility <> 'public' or new.deleted_at is not null then
    update directory.live_streams set listed = false
    where listed and id in (select id from live.broadcasts where channel_id = new.id);
    return null;
  end if;
  update directory.live_streams set listed = true, channel_id = new.directory_id
  where id in (select id from live.broadcasts where channel_id = new.id);
  for broadcast in
    select * from live.broadcasts where channel_id = new.id and live_at is not null and ended_at is null
  loop
    perform directory.list_broadcast(broadcast);
  end loop;
  return null;
end
$$;

create trigger follow_live_channel after update of name, visibility, directory_id, deleted_at on live.channels for each row
  when ((old.name, old.visibility, old.directory_id, old.deleted_at)
    is distinct from (new.name, new.visibility, new.directory_id, new.deleted_at))
  execute function directory.follow_live_channel();

create function directory.follow_viewers() returns trigger language plpgsql as $$
begin
  update directory.live_streams set viewer_count = coalesce((new.facts ->> 'viewers')::integer, 0)
  where id = new.broadcast_id and status = 'live';
  return null;
end
$$;

create trigger follow_viewers after update of facts on live.sessions for each row
  when ((old.facts ->> 'viewers') is distinct from (new.facts ->> 'viewers'))
  execute function directory.follow_viewers();

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
