create index if not exists entities_words on wiki.entities
  using gin ((jsonb_to_tsvector('simple', labels, '["string"]') || jsonb_to_tsvector('simple', aliases, '["string"]')));
create index if not exists claims_words on wiki.claims
  using gin ((to_tsvector('simple', replace(property, '_', ' ')) || jsonb_to_tsvector('simple', value, '["string"]')));
