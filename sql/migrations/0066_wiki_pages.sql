-- Where a quote stands in a document of pages.
alter table wiki.snapshots add column page_ends integer[];
alter table wiki.claim_references add column page integer;
alter table wiki.claim_references add column paragraph integer;

comment on column wiki.snapshots.page_ends is 'Of a document of pages: how many characters normal_text has up to the end of each page; null for what has none.';
comment on column wiki.claim_references.paragraph is 'On that page, from 1: which of its blocks, as a line of text each, the quote begins in.';
