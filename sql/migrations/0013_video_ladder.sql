-- A film that no browser plays as it is has its smallest rendition made first, chunk by chunk, and is playable by that one.
alter table video.parts drop constraint parts_kind_check;
alter table video.parts add constraint parts_kind_check check (kind in ('chunk', 'first', 'audio'));

comment on column video.parts.kind is 'A chunk in all renditions, or in all but the smallest, which then has chunks of kind ''first''.';
