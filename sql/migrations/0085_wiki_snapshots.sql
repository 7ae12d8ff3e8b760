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
  reading smallint,
  last_checked_at timestamptz,
  bytes_pruned_at timestamptz,
  -- Where a quote stands in a document of pages.
  page_ends integer[],
  check ((status = 'pending') = (captured_at is null)),
  check ((status = 'failed') = (error_code is not null)),
  check ((status = 'ok') = (sha256 is not null)),
  check ((text is null) = (text_sha256 is null))
);

comment on table wiki.snapshots is 'What a source said at an instant. Its bytes never change once they are captured; the same again is the same row. Failed captures are kept with their reason. Bytes of those that no claim cites are deleted WIKI_SNAPSHOT_DAYS after they were last checked; what was said and the hashes stay.';
comment on column wiki.snapshots.content_type is 'What the bytes are, whatever the server said.';
comment on column wiki.snapshots.sha256 is 'Of the bytes, which lie in storage under it.';
comment on column wiki.snapshots.text is 'The readable part of a page, or a text as it is; null where the bytes hold no text that is read.';
comment on column wiki.snapshots.normal_text is 'What the page shows, a line for each of its blocks, as quotes are written before they are looked for in it.';
comment on column wiki.snapshots.unchanged is 'Whether the bytes or the text are those of the last good snapshot before; null for the first.';
comment on column wiki.snapshots.reading is 'By which rules normal_text was made; null for the first ones, which knew no blocks and prove nothing any more.';
comment on column wiki.snapshots.last_checked_at is 'When its source said the same for the last time.';
comment on column wiki.snapshots.bytes_pruned_at is 'Since when its bytes are no part of what is stored.';
comment on column wiki.snapshots.page_ends is 'Of a document of pages: how many characters normal_text has up to the end of each page; null for what has none.';

create unique index snapshots_pending on wiki.snapshots (source_id) where status = 'pending';
create index snapshots_newest on wiki.snapshots (source_id, id);
create index snapshots_bytes on wiki.snapshots (org_id, sha256) where sha256 is not null;

create table wiki.snapshot_checks (
  id uuid primary key,
  snapshot_id uuid not null references wiki.snapshots (id) on delete cascade,
  checked_at timestamptz not null default now()
);

comment on table wiki.snapshot_checks is 'Snapshots that were asked for and found to be one that there was: their ids lead to it for 30 days.';

create index snapshot_checks_snapshot on wiki.snapshot_checks (snapshot_id);
create index snapshot_checks_age on wiki.snapshot_checks (checked_at);

create table wiki.loose_bytes (
  org_id uuid not null,
  sha256 text not null,
  since timestamptz not null default now(),
  primary key (org_id, sha256)
);

comment on table wiki.loose_bytes is 'Bytes in storage that a snapshot has let go: deleted when no other needs them, some time later, so that a capture may take them up again.';

create function wiki.let_bytes_go() returns trigger language plpgsql as $$
begin
  insert into wiki.loose_bytes (org_id, sha256) values (old.org_id, old.sha256)
  on conflict (org_id, sha256) do update set since = excluded.since;
  return null;
end
$$;

create trigger let_bytes_go after delete on wiki.snapshots for each row
  when (old.sha256 is not null) execute function wiki.let_bytes_go();

create trigger let_pruned_bytes_go after update of bytes_pruned_at on wiki.snapshots for each row
  when (old.bytes_pruned_at is null and new.bytes_pruned_at is not null) execute function wiki.let_bytes_go();

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
create index entities_type on wiki.entities (org_id, type, id);
-- Words of names and of what is claimed, without accents, and beside them whose they are: those of others cost a search nothing.
create index entities_words_of on wiki.entities using gin ((
  array_to_tsvector(array[' org:' || org_id::text])
  || jsonb_to_tsvector('simple', normalize(regexp_replace(normalize(labels::text, nfd), '[\u0300-\u036f]', '', 'g'), nfc)::jsonb, '["string"]')
  || jsonb_to_tsvector('simple', normalize(regexp_replace(normalize(aliases::text, nfd), '[\u0300-\u036f]', '', 'g'), nfc)::jsonb, '["string"]')));

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
create index claims_entity_value on wiki.claims ((value ->> 'content')) where value ->> 'type' = 'entity';
create index claims_property on wiki.claims (org_id, property, id);
create index claims_rank on wiki.claims (org_id, rank, id);
create index claims_preferred on wiki.claims (entity_id, property) where rank = 'preferred';
create index claims_words_of on wiki.claims using gin ((
  array_to_tsvector(array[' org:' || org_id::text])
  || to_tsvector('simple', replace(property, '_', ' '))
  || jsonb_to_tsvector('simple', normalize(regexp_replace(normalize(value::text, nfd), '[\u0300-\u036f]', '', 'g'), nfc)::jsonb, '["string"]')));

create table wiki.claim_references (
  id uuid primary key,
  claim_id uuid not null references wiki.claims (id) on delete cascade,
  source_id uuid not null references wiki.sources (id) on delete cascade,
  snapshot_id uuid not null references wiki.snapshots (id) on delete cascade,
  quote text not null,
  normal_quote text not null,
  locator text,
  quote_verified boolean not null default false,
  created_at timestamptz not null default now(),
  names_value boolean,
  page integer,
  paragraph integer
);

comment on table wiki.claim_references is 'What a claim rests on: words that a snapshot holds.';
comment on column wiki.claim_references.locator is 'Where in the source the words are, for people: a page, a section.';
comment on column wiki.claim_references.quote_verified is 'Whether the snapshot holds the words; settled with the reference, or with its snapshot if that is captured later.';
comment on column wiki.claim_references.names_value is 'Whether the quote has the value of its claim; null for one that was verified by the first rules, which asked for less: it is shown, and no proof for another publication.';
comment on column wiki.claim_references.paragraph is 'On that page, from 1: which of its blocks, as a line of text each, the quote begins in.';

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
