alter table account.plans add column log_streams integer not null default 5 check (log_streams >= 0);
