alter table jobs.workers add column loop_delay_ms real;

comment on column jobs.workers.loop_delay_ms is 'How late the event loop of its process was at most between its last two beats.';
