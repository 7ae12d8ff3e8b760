alter table webhooks.deliveries add column response_headers jsonb, add column attempt_log jsonb;

comment on column webhooks.deliveries.response_headers is 'Headers of the last response, without cookies.';
comment on column webhooks.deliveries.attempt_log is 'Time, status, duration and error of the last 20 attempts, oldest first.';
