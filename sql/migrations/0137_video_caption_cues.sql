-- Cues of captions that are ready: the transcript, and the words that a search finds.
create table video.caption_cues (
  captions_id uuid not null references video.captions (id) on delete cascade,
  number integer not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  from_seconds double precision not null,
  to_seconds double precision not null,
  speaker text,
  text text not null,
  words jsonb,
  search_text text not null,
  search tsvector not null,
  primary key (captions_id, number)
);

comment on column video.caption_cues.words is 'Words with their times; null if the engine or the file has none.';
comment on column video.caption_cues.search_text is 'Text without accents. Characters of scripts without spaces are apart.';
comment on column video.caption_cues.search is 'Words of this cue and of the next one, and the organisation, so that the index finds it.';

create index caption_cues_org on video.caption_cues (org_id);
create index caption_cues_search on video.caption_cues using gin (search);

alter table video.captions add column cues_revision integer;

comment on column video.captions.cues_revision is 'Revision whose cues are stored; null for captions of earlier releases until they are indexed.';

-- Languages of an organisation, which its searches read one by one.
create index captions_languages on video.captions (org_id, language) where state = 'ready';

create index captions_not_indexed on video.captions (id) where state = 'ready' and cues_revision is null;
