create schema video;

create table video.assets (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  title text,
  external_ref text,
  filename text,
  mime_type text,
  bytes bigint not null,
  profile text not null default 'standard_vod' check (profile in ('standard_vod', 'fast_social')),
  visibility text not null default 'signed' check (visibility in ('private', 'signed', 'unlisted', 'public')),
  status text not null default 'uploading' check (status in ('uploading', 'processing', 'ready', 'failed', 'aborted', 'deleted')),
  stage text not null default 'uploading'
    check (stage in ('uploading', 'queued', 'probing', 'remuxing', 'packaging_source', 'encoding', 'packaging', 'ready', 'failed', 'aborted')),
  failure_code text,
  failure_summary text,
  duration_seconds double precision,
  width integer,
  height integer,
  frame_rate double precision,
  mezzanine jsonb,
  plan jsonb,
  poster boolean not null default false,
  package_id uuid,
  work_units double precision,
  playable_at timestamptz,
  processing_at timestamptz,
  ready_at timestamptz,
  created_at timestamptz not null default now(),
  -- A failed asset can be tried again for as long as its upload is kept.
  source_removed_at timestamptz,
  watermark jsonb,
  deleted_at timestamptz,
  captions text[] not null default '{}',
  -- What of an upload is not in the video that is made of it, for its owner.
  left_out jsonb not null default '[]',
  -- What owners say of their videos; defaults are constants, so that no row is written.
  description text,
  metadata jsonb not null default '{}',
  caption_tracks jsonb not null default '[]',
  constraint assets_bytes check (bytes >= 0)
);

comment on column video.assets.mezzanine is 'The engine''s account of the remuxed upload; its path is the object''s key.';
comment on column video.assets.package_id is 'The package that is served: first the source as it is, later the ladder.';
comment on column video.assets.work_units is 'Megapixels to encode, summed over all frames and renditions.';
comment on column video.assets.watermark is 'watermarkId, position and opacity, as the upload asked for them.';
comment on column video.assets.captions is 'Languages of captions that viewers are offered; kept here, as every play reads this row.';
comment on column video.assets.caption_tracks is 'What players are told of the captions that viewers are offered, one for each language; kept here, as every play reads this row.';

create index assets_processing on video.assets (processing_at) where status = 'processing';
-- Lists go by when an asset was made: the id of a recording is that of its broadcast, and older.
create index assets_made on video.assets (org_id, created_at desc, id desc);
create index assets_made_status on video.assets (org_id, status, created_at desc, id desc);
create index assets_made_visibility on video.assets (org_id, visibility, created_at desc, id desc);
create index assets_external_ref on video.assets (org_id, external_ref, created_at desc, id desc)
  where external_ref is not null;

create table video.uploads (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  asset_id uuid not null unique references video.assets (id) on delete cascade,
  bytes bigint not null,
  part_bytes bigint not null,
  parts integer not null check (parts between 1 and 10000),
  state text not null default 'open' check (state in ('open', 'paused', 'completed', 'aborted', 'expired')),
  storage_upload text,
  expires_at timestamptz not null,
  created_at timestamptz not null default now()
);

create index uploads_stale on video.uploads (expires_at) where state in ('open', 'paused');
-- Uploads that were given up, by when their time was over: their rows go after a while.
create index uploads_over on video.uploads (expires_at) where state in ('aborted', 'expired');

-- What the ladder is made of: one row per chunk, and one for the sound. A film that no browser plays as it is has its smallest
-- rendition made first, chunk by chunk, and is playable by that one.
create table video.parts (
  asset_id uuid not null references video.assets (id) on delete cascade,
  kind text not null check (kind in ('chunk', 'first', 'audio')),
  number integer not null,
  units double precision not null,
  done_at timestamptz,
  cpu_seconds double precision,
  wall_seconds double precision,
  primary key (asset_id, kind, number)
);

comment on column video.parts.kind is 'A chunk in all renditions, or in all but the smallest, which then has chunks of kind ''first''.';

create index parts_recent on video.parts (done_at desc) where done_at is not null and kind = 'chunk';

create table video.renditions (
  asset_id uuid not null references video.assets (id) on delete cascade,
  package_id uuid not null,
  name text not null,
  width integer not null,
  height integer not null,
  frames integer not null,
  segments integer not null,
  bytes bigint not null,
  peak_bit_rate integer not null,
  mean_bit_rate integer not null,
  codec text not null,
  primary key (asset_id, package_id, name)
);

-- Playlists are small and asked for on every play: they are kept beside the rows that decide who may read them.
create table video.playlists (
  package_id uuid not null,
  asset_id uuid not null references video.assets (id) on delete cascade,
  name text not null,
  body text not null,
  primary key (package_id, name)
);

create index playlists_asset on video.playlists (asset_id);

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
  -- Captions of one's own have their text in the row: it is in storage where a program wrote them.
  source text not null default 'automatic' check (source in ('automatic', 'uploaded', 'corrected')),
  name text,
  is_default boolean not null default false,
  revision integer not null default 0,
  body text,
  unique (asset_id, language)
);

comment on column video.captions.revision is 'Grows with each text that takes the place of another.';

create index captions_org on video.captions (org_id);

-- What was heard so far, stretch by stretch: whoever takes the work up again goes on after the last one.
create table video.caption_pieces (
  captions_id uuid not null references video.captions (id) on delete cascade,
  from_seconds double precision not null,
  to_seconds double precision not null,
  words jsonb not null,
  primary key (captions_id, from_seconds)
);

-- Host names that organisations have their videos played on. Anybody may claim a name; who proves it has it.
create table video.domains (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  hostname text not null check (hostname = lower(hostname)),
  token text not null,
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  unique (org_id, hostname)
);

comment on column video.domains.token is 'What the TXT record must hold; no secret, as everybody can look it up.';

create index domains_org on video.domains (org_id, id desc);
create unique index domains_owned on video.domains (hostname) where verified_at is not null;

-- One row for each domain that was proven: what is served, and how far an order for the next one is.
create table video.certificates (
  domain_id uuid primary key references video.domains (id) on delete cascade,
  state text not null default 'ordering' check (state in ('off', 'ordering', 'issued', 'failed')),
  reason text,
  failures integer not null default 0,
  due_at timestamptz not null default now(),
  ask_after timestamptz not null default now(),
  asked_at timestamptz,
  order_url text,
  order_key text,
  run_id uuid,
  leased_until timestamptz,
  version uuid,
  chain text,
  key text,
  not_after timestamptz
);

comment on column video.certificates.due_at is 'When something is to be done next: a first order, a retry, a renewal.';
comment on column video.certificates.ask_after is 'The authority is not asked before, whoever wishes it.';
comment on column video.certificates.order_key is 'Sealed; the private key of the order, kept before the authority is asked to sign.';
comment on column video.certificates.run_id is 'The run that is at it until leased_until: one order at a time.';
comment on column video.certificates.key is 'Sealed.';

create index certificates_due on video.certificates (due_at);
create index certificates_asked on video.certificates (asked_at);

create table video.acme_accounts (
  directory_url text primary key,
  key text not null,
  url text,
  contact text
);

comment on column video.acme_accounts.key is 'Sealed.';

-- What any ingress answers at /.well-known/acme-challenge/{token} (RFC 8555 §8.3).
create table video.acme_challenges (
  token text primary key,
  domain_id uuid not null references video.domains (id) on delete cascade,
  answer text not null
);

create index acme_challenges_domain on video.acme_challenges (domain_id);
