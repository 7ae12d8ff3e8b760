alter table knowledge.vectors
  add column start integer not null default 0,
  add column length integer,
  drop constraint vectors_pkey,
  add primary key (source_id, place, start);

comment on column knowledge.vectors.start is 'Start of the sentence in its chunk, in UTF-16 units.';
comment on column knowledge.vectors.length is 'Length of the sentence in UTF-16 units. Null: the vector is of the whole chunk.';
comment on column knowledge.vectors.vector is 'Of length 1. Vectors of chunks: numbers of four bytes, little-endian. Vectors of sentences: signed bytes, each a multiple of 1/500.';
