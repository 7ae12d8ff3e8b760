alter table jobs.runs validate constraint runs_state_check;
alter table jobs.attempts validate constraint attempts_outcome_check;

-- Uploads that were given up, by when their time was over: their rows go after a while.
create index uploads_over on video.uploads (expires_at) where state in ('aborted', 'expired');

comment on column jobs.runs.discarded_at is 'When an operator, or FAILED_JOB_DAYS, took the failed job out of its queue.';
