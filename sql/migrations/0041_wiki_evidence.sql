create table wiki.sources (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  uri text not null,
  canonical_url text not null,
  type text not null default 'web' check (type in ('web', 'document', 'dataset')),
  title text,
  publisher text,
  authors text[] not null default '{}',
  published_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, canonical_url)
);

comment on table wiki.sources is 'Where evidence is found; each once in an organisation, by its canonical URL.';
comment on column wiki.sources.uri is 'As it was registered first.';
comment on column wiki.sources.published_at is 'When its publisher says that it was published.';

create index sources_newest on wiki.sources (org_id, id);

create table wiki.snapshots (
  id uuid primary key,
  org_id uuid not null,
  source_id uuid not null references wiki.sources (id) on delete cascade,
  status text not null default 'pending' check (status in ('pending', 'ok', 'failed')),
  final_url text,
  http_status integer,
  content_type text,
  title text,
  size bigint,
  sha256 text,
  text text,
  text_sha256 text,
  text_length integer,
  normal_text text,
  unchanged boolean,
  error_code text,
  error_message text,
  requested_at timestamptz not null default now(),
  captured_at timestamptz,
  check ((status = 'pending') = (captured_at is null)),
  check ((status = 'failed') = (error_code is not null)),
  check ((status = 'ok') = (sha256 is not null)),
  check ((text is null) = (text_sha256 is null))
);

comment on table wiki.snapshots is 'What a source said at an instant. Never changed once it is captured; failed captures are kept with their reason.';
comment on column wiki.snapshots.content_type is 'What the bytes are, whatever the server said.';
comment on column wiki.snapshots.sha256 is 'Of the bytes, which lie in storage under it.';
comment on column wiki.snapshots.text is 'The readable part of a page, or a text as it is; null where the bytes hold no text that is read.';
comment on column wiki.snapshots.normal_text is 'All that the page shows, normalised as quotes are before they are looked for in it.';
comment on column wiki.snapshots.unchanged is 'Whether the bytes or the text are those of the last good snapshot before; null for the first.';

create unique index snapshots_pending on wiki.snapshots (source_id) where status = 'pending';
create index snapshots_newest on wiki.snapshots (source_id, id);

create function wiki.stored_bytes(snapshot wiki.snapshots) returns bigint language sql immutable as $$
  select coalesce(snapshot.size, 0)
$$;

create function wiki.count_stored() returns trigger language plpgsql as $$
begin
  perform account.add_stored(coalesce(new.org_id, old.org_id),
    coalesce(wiki.stored_bytes(new), 0) - coalesce(wiki.stored_bytes(old), 0));
  return null;
end
$$;

create trigger count_new after insert or delete on wiki.snapshots for each row execute function wiki.count_stored();
create trigger count_change after update of size on wiki.snapshots for each row
  when (wiki.stored_bytes(new) <> wiki.stored_bytes(old)) execute function wiki.count_stored();

comment on table account.storage is 'Running totals, kept by triggers on video.assets, files.objects and wiki.snapshots in the transaction of each change.';

create table wiki.entities (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  type text not null,
  labels jsonb not null,
  descriptions jsonb not null default '{}',
  aliases jsonb not null default '{}',
  external_ids jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table wiki.entities is 'What claims are about: people, companies, places, things.';
comment on column wiki.entities.labels is 'Its name by language; descriptions and aliases likewise.';
comment on column wiki.entities.external_ids is 'What others know it by, such as wikidata or lei.';

create index entities_newest on wiki.entities (org_id, id);

create table wiki.claims (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  entity_id uuid not null references wiki.entities (id) on delete cascade,
  property text not null,
  value jsonb not null,
  qualifiers jsonb not null default '[]',
  rank text not null default 'normal' check (rank in ('preferred', 'normal', 'deprecated')),
  deprecation_reason text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((rank = 'deprecated') = (deprecation_reason is not null))
);

comment on table wiki.claims is 'What is said of an entity: a property and its value.';
comment on column wiki.claims.rank is 'A deprecated claim is kept and asserted no more: articles neither need nor use it.';

create index claims_newest on wiki.claims (org_id, id);
create index claims_entity on wiki.claims (entity_id, property);

create table wiki.claim_references (
  id uuid primary key,
  claim_id uuid not null references wiki.claims (id) on delete cascade,
  source_id uuid not null references wiki.sources (id) on delete cascade,
  snapshot_id uuid not null references wiki.snapshots (id) on delete cascade,
  quote text not null,
  normal_quote text not null,
  locator text,
  quote_verified boolean not null default false,
  created_at timestamptz not null default now()
);

comment on table wiki.claim_references is 'What a claim rests on: words that a snapshot holds.';
comment on column wiki.claim_references.locator is 'Where in the source the words are, for people: a page, a section.';
comment on column wiki.claim_references.quote_verified is 'Whether the snapshot holds the words; settled with the reference, or with its snapshot if that is captured later.';

create index claim_references_claim on wiki.claim_references (claim_id);
create index claim_references_snapshot on wiki.claim_references (snapshot_id);
create index claim_references_source on wiki.claim_references (source_id);

create table wiki.claim_articles (
  article_id uuid not null references wiki.articles (id) on delete cascade,
  claim_id uuid not null references wiki.claims (id) on delete cascade,
  primary key (article_id, claim_id)
);

comment on table wiki.claim_articles is 'The claims that an article makes.';

create index claim_articles_claim on wiki.claim_articles (claim_id);
