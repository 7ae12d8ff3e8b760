create index articles_published_slugs on wiki.articles (org_id, slug text_pattern_ops) where status = 'published';

create function wiki.newest_beginning(query tsquery, narrow tsquery, org uuid, slugs text[], most integer) returns setof uuid
  language sql stable
  set enable_seqscan = off
  set enable_indexscan = off
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
