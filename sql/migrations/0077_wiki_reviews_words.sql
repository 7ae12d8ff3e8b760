alter table wiki.reviews add column evidence text;

comment on column wiki.reviews.evidence is 'Hash of the ids of the claims and references that the article had: an approval counts for these alone. Null before it was kept.';

-- Words of names and of what is claimed, without accents, and beside them whose they are: those of others cost a search nothing.
create index if not exists entities_words_of on wiki.entities using gin ((
  array_to_tsvector(array[' org:' || org_id::text])
  || jsonb_to_tsvector('simple', normalize(regexp_replace(normalize(labels::text, nfd), '[\u0300-\u036f]', '', 'g'), nfc)::jsonb, '["string"]')
  || jsonb_to_tsvector('simple', normalize(regexp_replace(normalize(aliases::text, nfd), '[\u0300-\u036f]', '', 'g'), nfc)::jsonb, '["string"]')));
create index if not exists claims_words_of on wiki.claims using gin ((
  array_to_tsvector(array[' org:' || org_id::text])
  || to_tsvector('simple', replace(property, '_', ' '))
  || jsonb_to_tsvector('simple', normalize(regexp_replace(normalize(value::text, nfd), '[\u0300-\u036f]', '', 'g'), nfc)::jsonb, '["string"]')));

drop index wiki.entities_words;
drop index wiki.claims_words;
