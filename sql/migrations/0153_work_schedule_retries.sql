alter table work.schedules add column retry_at timestamptz;

comment on column work.schedules.retry_at is 'Time from which a due run is tried again whose job the plan did not allow. Null if there is none.';

create index schedules_due_at on work.schedules (greatest(next_run_at, retry_at)) where next_run_at is not null;
drop index work.schedules_due;
