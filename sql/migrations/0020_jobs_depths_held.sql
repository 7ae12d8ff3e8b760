-- Metrics tell what a sample says, and they tell of held jobs, too.
alter table jobs.depths add column held integer not null default 0;
alter table jobs.depth_hours add column held integer not null default 0;

comment on column jobs.depths.held is 'Jobs that wait until their task is resumed.';
