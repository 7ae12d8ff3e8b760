alter table wiki.reviews add column evidence text;

comment on column wiki.reviews.evidence is 'Hash of the ids of the claims and references that the article had: an approval counts for these alone. Null before it was kept.';
