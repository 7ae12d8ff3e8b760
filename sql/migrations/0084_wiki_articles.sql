create schema wiki;

comment on schema wiki is 'Evidence-first articles: their versions, what is published of them, and what proves their claims.';

create table wiki.articles (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  slug text not null unique,
  language text not null,
  status text not null default 'draft' check (status in ('draft', 'published', 'withdrawn')),
  version integer not null default 1,
  published_version integer,
  first_published_at timestamptz,
  withdrawal_reason text,
  withdrawn_at timestamptz,
  revision integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((status = 'published') = (published_version is not null)),
  check ((status = 'withdrawn') = (withdrawn_at is not null))
);

comment on column wiki.articles.slug is 'Its place on the public pages, which all organisations share: unique in the installation.';
comment on column wiki.articles.version is 'Number of its newest version.';
comment on column wiki.articles.published_version is 'What readers see: newer versions are drafts on top of it.';
comment on column wiki.articles.revision is 'Grows with each change of text or state: the ETag.';

create index articles_newest on wiki.articles (org_id, id);
create index articles_published_slugs on wiki.articles (org_id, slug text_pattern_ops) where status = 'published';
create index articles_status on wiki.articles (org_id, status, id);
-- Articles of a language, the newest first.
create index articles_language on wiki.articles (org_id, language, id);

create table wiki.slugs (
  slug text primary key,
  article_id uuid not null references wiki.articles (id) on delete cascade deferrable initially deferred
);

comment on table wiki.slugs is 'Every slug that an article has or had: those it had lead to the one it has. A slug is claimed before its article is made.';

create index slugs_article on wiki.slugs (article_id);

create table wiki.article_versions (
  id uuid primary key,
  article_id uuid not null references wiki.articles (id) on delete cascade,
  number integer not null,
  title text not null,
  summary text not null,
  body text not null,
  tags text[] not null,
  comment text,
  author text,
  key_id uuid,
  restored_from integer,
  size integer not null,
  sha256 text not null,
  created_at timestamptz not null default now(),
  unique (article_id, number)
);

comment on table wiki.article_versions is 'Append-only: a change of an article, and a restored version too, is a new row.';
comment on column wiki.article_versions.body is 'Markdown as it was given; it is made safe when it is rendered.';
comment on column wiki.article_versions.author is 'Whoever the customer names; key_id is the key that wrote it.';
comment on column wiki.article_versions.size is 'Bytes of the body in UTF-8; sha256 is over the same bytes.';

create function wiki.keep_versions() returns trigger language plpgsql as $$
begin
  raise exception 'versions of articles are never changed';
end $$;

create trigger keep_versions before update on wiki.article_versions for each row execute function wiki.keep_versions();

-- A search that many articles match reads thousands of these rows: what is long lies beside them, so that they are few pages.
create table wiki.published (
  article_id uuid primary key references wiki.articles (id) on delete cascade,
  org_id uuid not null,
  text text not null,
  tags text[] not null,
  title_words tsvector not null,
  words tsvector not null,
  published_at timestamptz not null
) with (toast_tuple_target = 256);

comment on table wiki.published is 'What the search reads: one row for each published article, of its published version.';
comment on column wiki.published.text is 'The beginning of the body without its markup: excerpts are cut from it.';
comment on column wiki.published.words is 'Words of title, tags, summary and text, and with a blank before them, as no word has, its organisation, language and tags: so that one index answers a search of them all. Those stand in title_words, too.';
comment on column wiki.published.published_at is 'When this version was published.';

create index published_newest on wiki.published (org_id, article_id);
create index published_last on wiki.published (published_at);
create index published_tags on wiki.published using gin (tags);
create index published_title_words on wiki.published using gin (title_words);
create index published_words on wiki.published using gin (words);

-- Planned for the words of each search: from the sixth on, Postgres 18 takes a plan of a session for all words, which reads the whole
-- index of titles for what begins like a slug (5 ms became 750 with 400,000 articles).
create function wiki.newest_matching(query tsquery, most integer) returns setof uuid language sql stable
  set enable_seqscan = off
  set enable_indexscan = off
  set plan_cache_mode = force_custom_plan
as $$
  (select article_id from wiki.published where title_words @@ query order by article_id desc limit most)
  union
  (select article_id from wiki.published where words @@ query order by article_id desc limit most)
$$;

comment on function wiki.newest_matching is 'The newest articles with the words of a query, which has no phrase, in the title, and those with them anywhere. They are taken from the indexes: for words that most articles have, the planner would read and unpack the words of each, as it does not know what that costs.';

create function wiki.newest_beginning(query tsquery, narrow tsquery, org uuid, slugs text[], most integer) returns setof uuid
  language sql stable
  set enable_seqscan = off
  set enable_indexscan = off
  set plan_cache_mode = force_custom_plan
as $$
  (select article_id from wiki.published where title_words @@ query order by article_id desc limit most)
  union
  (
    select a.id from unnest(slugs) as begin (slug)
    join wiki.articles as a on a.org_id = org and a.status = 'published'
      and a.slug ~>=~ begin.slug and a.slug ~<~ (begin.slug || chr(1114111))
    join wiki.published as p on p.article_id = a.id and p.title_words @@ narrow
    order by a.id desc limit most
  )
$$;

comment on function wiki.newest_beginning is 'The newest articles of an organisation with words in their titles that begin so, and those whose slugs do.';

create table wiki.article_places (
  article_id uuid primary key references wiki.articles (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  parent_id uuid references wiki.articles (id) on delete set null,
  position integer not null default 0,
  check (parent_id <> article_id)
);

comment on table wiki.article_places is 'Where articles stand in their organisation’s tree; one without a row, or without a parent, stands at the top.';

create index article_places_parent on wiki.article_places (parent_id);
create index article_places_org on wiki.article_places (org_id);

create table wiki.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  review text not null default 'none' check (review in ('none', 'required')),
  updated_at timestamptz not null default now()
);

create table wiki.reviews (
  id uuid primary key,
  article_id uuid not null references wiki.articles (id) on delete cascade,
  version integer not null,
  key_id uuid not null,
  reviewer text,
  decision text not null check (decision in ('approved', 'rejected')),
  comment text,
  created_at timestamptz not null default now(),
  evidence text,
  foreign key (article_id, version) references wiki.article_versions (article_id, number) on delete cascade
);

comment on table wiki.reviews is 'What others than its author think of a version; of each reviewer’s key the last word counts.';
comment on column wiki.reviews.evidence is 'Hash of the ids of the claims and references that the article had: an approval counts for these alone. Null before it was kept.';

create index reviews_article on wiki.reviews (article_id, version, id);

create table wiki.pictures (
  article_id uuid not null references wiki.articles (id) on delete cascade,
  object_id uuid not null,
  primary key (article_id, object_id)
);

comment on table wiki.pictures is 'Files that published articles show: they are public for as long as one does.';

create index pictures_object on wiki.pictures (object_id);
