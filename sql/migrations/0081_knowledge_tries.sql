alter table knowledge.sources add column embed_failed_at timestamptz, add column embed_tries integer not null default 0;

comment on column knowledge.sources.embed_failed_at is 'When a job for its vectors was given up last; another one is added the later the more often that was so.';
comment on column knowledge.sources.embed_tries is 'How often that was so since the text is kept.';
