-- A job that ends because what a customer gave can never be worked on, such as a file that is no video: no failure.
-- The checks are validated by the next migration, as that needs no lock that writers would wait for.
alter table jobs.runs drop constraint runs_state_check,
  add constraint runs_state_check
    check (state in ('waiting', 'running', 'done', 'failed', 'rejected', 'cancelled')) not valid;

alter table jobs.attempts drop constraint attempts_outcome_check,
  add constraint attempts_outcome_check
    check (outcome in ('done', 'retry', 'failed', 'rejected', 'later', 'handed_back', 'cancelled', 'lost')) not valid;

alter table jobs.minutes add column rejected integer not null default 0;
alter table jobs.hours add column rejected integer not null default 0;

comment on column jobs.minutes.rejected is 'Attempts that ended the job as rejected.';

alter table jobs.actions add column reason text;

comment on column jobs.actions.reason is 'Why, if the operator said so.';
