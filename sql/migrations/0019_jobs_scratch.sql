alter table jobs.workers add column scratch_bytes bigint;

comment on column jobs.workers.scratch_bytes is 'Size of the disk on which a worker of a media pool keeps its copies; null where it keeps none.';
