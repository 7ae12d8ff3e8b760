create schema trust;

comment on schema trust is 'What feeds of threats say of URLs.';

create table trust.feeds (
  id integer generated always as identity primary key,
  name text not null unique check (name ~ '^[a-z0-9][a-z0-9_-]{0,39}$'),
  kind text not null check (kind in ('list', 'urlhaus', 'safe_browsing')),
  url text,
  category text not null,
  every_seconds integer not null check (every_seconds >= 60),
  stale_after_seconds integer not null check (stale_after_seconds >= 60),
  entries integer not null default 0,
  left_out integer not null default 0,
  etag text,
  last_modified text,
  imported_at timestamptz,
  checked_at timestamptz,
  next_at timestamptz default now(),
  failures integer not null default 0,
  failed_at timestamptz,
  error text,
  created_at timestamptz not null default now()
);

comment on table trust.feeds is 'Lists of threats that others keep, and how fresh the copies of them are.';
comment on column trust.feeds.url is 'Where it is fetched; null: it comes from files that an operator imports.';
comment on column trust.feeds.category is 'What is listed, where the feed itself does not say.';
comment on column trust.feeds.left_out is 'Lines of the last import that name no URL and no host, or a host that many share.';
comment on column trust.feeds.imported_at is 'When its entries were last replaced.';
comment on column trust.feeds.checked_at is 'When it was last known to be as the entries are: its age counts from here.';
comment on column trust.feeds.next_at is 'When it is fetched next; null: never of itself.';

create table trust.entries (
  prefix integer not null,
  hash bytea not null check (octet_length(hash) in (4, 32)),
  feed_id integer not null,
  exact boolean not null,
  category text not null,
  detail text,
  first_seen timestamptz not null,
  primary key (prefix, hash, feed_id)
);

comment on table trust.entries is 'What feeds list, by the SHA-256 of Safe Browsing''s expressions. Without a foreign key: a feed of a million rows is replaced at once.';
comment on column trust.entries.prefix is 'The first four bytes of the hash.';
comment on column trust.entries.hash is 'All of it, or its prefix alone: then the feed''s keeper is asked for the rest.';
comment on column trust.entries.exact is 'Listed is that URL, and not what lies below it.';

create unlogged table trust.staging (
  import_id uuid not null,
  like trust.entries
);

comment on table trust.staging is 'What an import has read so far; what a killed one has left is deleted by the next.';

create table trust.confirmations (
  prefix integer primary key,
  hashes jsonb not null,
  expires_at timestamptz not null
);

comment on table trust.confirmations is 'Full hashes behind prefixes, as Safe Browsing told them and for as long as it allows.';
comment on column trust.confirmations.hashes is 'Each full hash in hexadecimal with the categories that it is listed for; none for a prefix that only resembles one.';

create index confirmations_expires_at on trust.confirmations (expires_at);

create table trust.listings (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  hostname text not null,
  policy text not null check (policy in ('allow', 'deny')),
  note text,
  created_at timestamptz not null default now(),
  unique (org_id, hostname)
);

comment on table trust.listings is 'Hosts that an organisation itself allows or denies, with all below them.';

create index listings_newest on trust.listings (org_id, id);

create table trust.watches (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  url text not null,
  note text,
  verdict text not null check (verdict in ('unknown', 'suspicious', 'malicious')),
  categories text[] not null default '{}',
  changed_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

comment on table trust.watches is 'URLs that an organisation has watched: it is told when what is known of one changes.';

create index watches_newest on trust.watches (org_id, id);
-- A URL is longer than an entry of an index may be.
create unique index watches_url on trust.watches (org_id, md5(url));
