-- What of an upload is not in the video that is made of it, for its owner.
alter table video.assets add column left_out jsonb not null default '[]';
