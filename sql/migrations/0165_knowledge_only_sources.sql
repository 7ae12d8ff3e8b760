drop function knowledge.find(uuid, text, text, integer);

-- width_bucket is a binary search, so that each row costs less than a microsecond, however long the list is.
-- With the settings there is one plan for every question from the first on, which reads rows by their keys alone, whatever the
-- statistics say.
create function knowledge.find(
  collection uuid, question text, language text, most integer, only_sources uuid[] default null)
returns table (source_id uuid, place integer, score double precision, share double precision) language sql stable
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
    select coalesce(sum(s.chunks), 0)::float8 as chunks from knowledge.sources as s
    where s.collection_id = collection
      and (only_sources is null or only_sources[width_bucket(s.id, only_sources)] = s.id)
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
        and (only_sources is null or only_sources[width_bucket(p.source_id, only_sources)] = p.source_id)
      order by p.source_id desc limit 1000
    ) as p
  ), rarities as materialized (
    select lexeme, form, sum(cardinality(hits)) as chunks from found group by lexeme, form
  ), summed as (
    select lexeme, form, chunks, sum(chunks) over (order by chunks, lexeme, form) - chunks as before from rarities
  ), weights as materialized (
    select s.lexeme, s.form,
      ln(1 + (greatest(e.chunks - s.chunks, 0) + 0.5) / (s.chunks + 0.5)) * case when right(s.form, 1) = '*' then 0.7 else 1 end as weight
    from summed as s cross join extent as e where s.before < 20000
  ), heavy as materialized (
    select sum(coalesce(
        (select max(w.weight) from weights as w where w.lexeme = t.lexeme),
        case when exists (select from rarities as r where r.lexeme = t.lexeme) then 0 else ln(1 + (e.chunks + 0.5) / 0.5) end
      )) as weight
    from told as t cross join extent as e
  ), hits as (
    select f.lexeme, f.source_id, h.hit >> 3 as place, max(w.weight) as held,
      max(w.weight * 2.2 * (h.hit & 7) / ((h.hit & 7) + 1.2)) as score
    from found as f join weights as w on w.lexeme = f.lexeme and w.form = f.form
    cross join lateral unnest(f.hits) as h (hit)
    group by f.lexeme, f.source_id, h.hit >> 3
  ), scored as (
    select h.source_id, h.place, sum(h.score)::float8 as score, sum(h.held)::float8 as held from hits as h
    group by h.source_id, h.place order by 3 desc, 1, 2 limit most
  )
  select s.source_id, s.place, s.score, least(1, s.held / nullif(heavy.weight, 0))::float8
  from scored as s cross join heavy order by 3 desc, 1, 2
$$;

comment on function knowledge.find is 'The chunks of a collection that fit a question best by its words. A word weighs the more the fewer chunks have it (BM25); the 32 longest words are looked for, frequent ones are left out from the 20,000th hit on, and of each word the newest 1,000 sources are read, so that no question and no collection costs more. The share says which part of the weight of the question''s words the chunk has, from 0 to 1. With only_sources, sorted by ID, only chunks of these sources are found.';
