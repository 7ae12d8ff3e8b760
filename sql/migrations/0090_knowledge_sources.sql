create schema knowledge;

comment on schema knowledge is 'What is searched for answers: texts of other areas in pieces, their words, and their vectors.';

create table knowledge.sources (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  collection_id uuid not null,
  revision uuid not null default gen_random_uuid(),
  title text not null,
  url text,
  languages text[] not null,
  chunks integer not null,
  characters integer not null,
  model text,
  created_at timestamptz not null default now(),
  embed_failed_at timestamptz,
  embed_tries integer not null default 0
);

comment on table knowledge.sources is 'A text that is searched; its id is that of the row which it is the text of, and whoever deletes or changes that row deletes this one.';
comment on column knowledge.sources.collection_id is 'What is searched together: a bot, an organisation''s articles.';
comment on column knowledge.sources.revision is 'Another one each time that the text is kept: vectors of a former text are not written to it.';
comment on column knowledge.sources.languages is 'Text search configurations by which its words are stemmed.';
comment on column knowledge.sources.characters is 'Of the text, as far as it is searched, in UTF-16 units.';
comment on column knowledge.sources.model is 'Whose vectors all of its chunks have; null: none yet.';
comment on column knowledge.sources.embed_failed_at is 'When a job for its vectors was given up last; another one is added the later the more often that was so.';
comment on column knowledge.sources.embed_tries is 'How often that was so since the text is kept.';

create index sources_collection on knowledge.sources (collection_id, id);
create index sources_org on knowledge.sources (org_id);
create index sources_model on knowledge.sources (model, id);

create table knowledge.chunks (
  source_id uuid not null references knowledge.sources (id) on delete cascade,
  place integer not null check (place between 0 and 4095),
  start integer not null,
  page integer,
  headings text[] not null,
  text text not null,
  primary key (source_id, place)
);

comment on table knowledge.chunks is 'Pieces of a source, about 1,000 characters each, which put together are the source.';
comment on column knowledge.chunks.start is 'Where it begins in its source, in UTF-16 units.';
comment on column knowledge.chunks.page is 'From 1; null where the source has no pages.';
comment on column knowledge.chunks.headings is 'Headings that it stands under, the outermost first.';

-- Read by a key that has the collection in it: however much others have, a search reads pages of its own.
create table knowledge.postings (
  key bigint not null,
  source_id uuid not null,
  hits smallint[] not null,
  primary key (key, source_id)
);

comment on table knowledge.postings is 'In which chunks of a source a word stands. No foreign key: each row would be checked by itself.';
comment on column knowledge.postings.key is 'Of a collection and a word: knowledge.key.';
comment on column knowledge.postings.hits is 'The place of a chunk times 8, and how often the word stands there, 7 at most.';

create index postings_source on knowledge.postings (source_id);

create function knowledge.forget_postings() returns trigger language plpgsql as $$
begin
  delete from knowledge.postings where source_id in (select id from gone);
  return null;
end
$$;

create trigger forget_postings after delete on knowledge.sources referencing old table as gone
  for each statement execute function knowledge.forget_postings();

create table knowledge.vectors (
  source_id uuid not null,
  place integer not null,
  model text not null,
  signs bit varying not null,
  vector bytea not null,
  primary key (source_id, place),
  foreign key (source_id, place) references knowledge.chunks (source_id, place) on delete cascade
);

comment on table knowledge.vectors is 'What a model makes of chunks.';
comment on column knowledge.vectors.signs is 'Of each number whether it is above 0: chunks whose signs differ least from a question''s are compared exactly.';
comment on column knowledge.vectors.vector is 'Of length 1, numbers of four bytes, little-endian.';

-- Out of line and as they are: a search reads the signs of all, and few vectors.
alter table knowledge.vectors alter column vector set storage external;

-- The same whatever the release of Postgres and the machine.
create function knowledge.key(collection uuid, word text) returns bigint language sql immutable parallel safe as $$
  select ('x' || left(md5(collection::text || word), 16))::bit(64)::bigint
$$;

create function knowledge.fold(word text) returns text language sql immutable parallel safe as $$
  select case when octet_length(word) = length(word) then word
    else replace(replace(replace(replace(replace(replace(
      regexp_replace(normalize(word, nfkd), '[\u0300-\u036f]', '', 'g'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'ø', 'o'), 'đ', 'd'), 'ł', 'l') end
$$;

comment on function knowledge.fold is 'A word of small letters without accents.';

-- A release of Postgres that lacks a language's stemmer takes words as they are.
create function knowledge.configuration(language text) returns regconfig language sql stable parallel safe as $$
  select coalesce(
    (select oid::regconfig from pg_catalog.pg_ts_config
      where cfgname = language and cfgnamespace = 'pg_catalog'::regnamespace),
    'pg_catalog.simple'::regconfig)
$$;

-- The beginning of a longer word stands for it where its language is told wrong or has no stemmer: seven letters, behind which most
-- endings lie. No stem ends with its star.
create function knowledge.words(language text, content text) returns table (word text, times integer)
  language sql stable parallel safe as $$
  select w.word, sum(w.times)::integer
  from (
    select knowledge.fold(s.lexeme) as word, cardinality(s.positions) as times
    from unnest(to_tsvector(knowledge.configuration(language), content)) as s
    union all
    select left(f.word, 7) || '*', cardinality(s.positions)
    from unnest(to_tsvector('simple', content)) as s cross join lateral (select knowledge.fold(s.lexeme) as word) as f
    where length(f.word) >= 7
  ) as w group by w.word
$$;

comment on function knowledge.words is 'The words by which a text is found, and how often they stand in it.';

-- With the settings there is one plan for every question from the first on, which reads rows by their keys alone, whatever the
-- statistics say.
create function knowledge.find(collection uuid, question text, language text, most integer)
returns table (source_id uuid, place integer, score double precision) language sql stable
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
  set plan_cache_mode = force_generic_plan
as $$
  with spoken as materialized (
    select distinct l.language from knowledge.sources as s cross join lateral unnest(s.languages) as l (language)
    where s.collection_id = collection
  ), extent as materialized (
    select coalesce(sum(s.chunks), 0)::float8 as chunks from knowledge.sources as s where s.collection_id = collection
  ), asked as materialized (
    select w.lexeme, to_tsvector(knowledge.configuration(language), w.lexeme) <> '' as tells
    from (
      select lexeme from unnest(to_tsvector('simple', question)) order by length(lexeme) desc, lexeme limit 200
    ) as w
  ), told as materialized (
    select lexeme from asked where tells or not exists (select from asked as a where a.tells)
    order by length(lexeme) desc, lexeme limit 32
  ), forms as materialized (
    select distinct t.lexeme, knowledge.fold(f.form) as form
    from told as t cross join spoken as s
    cross join lateral unnest(tsvector_to_array(to_tsvector(knowledge.configuration(s.language), t.lexeme))) as f (form)
    union
    select t.lexeme, left(knowledge.fold(t.lexeme), 7) || '*' from told as t where length(knowledge.fold(t.lexeme)) >= 7
  ), found as materialized (
    select f.lexeme, f.form, p.source_id, p.hits
    from forms as f cross join lateral (
      select p.source_id, p.hits from knowledge.postings as p where p.key = knowledge.key(collection, f.form)
      order by p.source_id desc limit 1000
    ) as p
  ), rarities as (
    select lexeme, form, sum(cardinality(hits)) as chunks from found group by lexeme, form
  ), summed as (
    select lexeme, form, chunks, sum(chunks) over (order by chunks, lexeme, form) - chunks as before from rarities
  ), weights as materialized (
    select s.lexeme, s.form,
      ln(1 + (greatest(e.chunks - s.chunks, 0) + 0.5) / (s.chunks + 0.5)) * case when right(s.form, 1) = '*' then 0.7 else 1 end as weight
    from summed as s cross join extent as e where s.before < 20000
  ), hits as (
    select f.lexeme, f.source_id, h.hit >> 3 as place, max(w.weight * 2.2 * (h.hit & 7) / ((h.hit & 7) + 1.2)) as score
    from found as f join weights as w on w.lexeme = f.lexeme and w.form = f.form
    cross join lateral unnest(f.hits) as h (hit)
    group by f.lexeme, f.source_id, h.hit >> 3
  )
  select h.source_id, h.place, sum(h.score)::float8 as score from hits as h
  group by h.source_id, h.place order by 3 desc, 1, 2 limit most
$$;

comment on function knowledge.find is 'The chunks of a collection that fit a question best by its words. A word weighs the more the fewer chunks have it (BM25); the 32 longest words are looked for, frequent ones are left out from the 20,000th hit on, and of each word the newest 1,000 sources are read, so that no question and no collection costs more.';

-- A document that is deleted or changed is found no more; whoever changes it keeps its text anew.
create function bots.forget_document() returns trigger language plpgsql as $$
begin
  delete from knowledge.sources where id = old.id;
  return null;
end
$$;

create trigger forget_deleted after delete on bots.documents for each row execute function bots.forget_document();

create trigger forget_changed after update on bots.documents for each row
  when (old.text is distinct from new.text or old.title is distinct from new.title or old.url is distinct from new.url)
  execute function bots.forget_document();
