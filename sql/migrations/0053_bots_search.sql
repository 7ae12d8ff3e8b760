-- By parts of words, as `ilike '%…%'` asks: pages of the directory would otherwise read every published bot.
create index bots_texts on bots.bots using gin (name gin_trgm_ops, tagline gin_trgm_ops, description gin_trgm_ops)
  where published_at is not null;
