create extension if not exists btree_gin;

-- Each word counts once whichever stemmer knows its language; of a stem seven letters are kept, behind which most endings of the
-- languages lie that have no stemmer here.
create function bots.stems(text) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct left(w.lexeme, 7)), '{}')
  from (values ('simple'), ('english'), ('german'), ('french'), ('spanish'), ('russian')) as c (name)
  cross join lateral unnest(to_tsvector(c.name::regconfig, $1)) as w
$$;

comment on function bots.stems is 'The stems of all words of a text, by the stemmers of five languages and by none.';

-- Passages end where a paragraph does, else a sentence, else a word. `start` counts UTF-16 units, as citations do.
create function bots.split(document text)
returns table (place integer, start integer, text text) language plpgsql immutable parallel safe as $$
declare
  rest text := document;
  piece text;
begin
  place := 0;
  start := 0;
  while rest <> '' loop
    piece := left(rest, 1200);
    if length(rest) > 1200 then
      piece := coalesce(
        substring(piece from '^.{200}.{200}.*\n\s*\n'),
        substring(piece from '^.{200}.{200}.*[.!?…。！？]["''”»)]?\s'),
        substring(piece from '^.{200}.{200}.*\s'),
        piece);
    end if;
    text := piece;
    return next;
    rest := substr(rest, length(piece) + 1);
    place := place + 1;
    start := start + length(piece) + length(regexp_replace(piece, '[^\U00010000-\U0010FFFF]', '', 'g'));
  end loop;
end
$$;

create table bots.passages (
  document_id uuid not null references bots.documents (id) on delete cascade,
  place integer not null,
  bot_id uuid not null,
  start integer not null,
  text text not null,
  characters integer not null generated always as (length(text)) stored,
  stems text[] not null,
  primary key (document_id, place)
);

comment on table bots.passages is 'The documents of bots in pieces that an answer is found in; made with each document.';
comment on column bots.passages.start is 'Where it begins in its document, in UTF-16 units.';
comment on column bots.passages.stems is 'Of its words and those of its document''s title.';

create index passages_stems on bots.passages using gin (bot_id, stems);

create function bots.make_passages() returns trigger language plpgsql as $$
begin
  insert into bots.passages (document_id, place, bot_id, start, text, stems)
  select new.id, p.place, new.bot_id, p.start, p.text, bots.stems(new.title || ' ' || p.text)
  from bots.split(new.text) as p;
  return null;
end
$$;

create trigger make_passages after insert on bots.documents for each row execute function bots.make_passages();

-- Those of documents that are there already are made by the task bots/make-passages: here they would hold up new documents.

comment on column bots.documents.search is 'Read by the release before this one; nothing reads it now.';
