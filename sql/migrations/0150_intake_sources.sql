create schema intake;

comment on schema intake is 'Webhooks that other services send to organisations.';

create table intake.sources (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  provider text not null check (provider in ('stripe', 'github', 'shopify', 'slack', 'hmac', 'standard')),
  hmac jsonb,
  secrets text not null,
  previous_until timestamptz,
  token text not null,
  token_hash text not null unique,
  previous_token_hash text,
  previous_token_until timestamptz,
  forward jsonb,
  forward_headers text,
  event_types text[] not null default '{}',
  filter jsonb not null default '{}',
  dedupe boolean not null default true,
  response jsonb,
  retention_days integer check (retention_days between 1 and 3650),
  status text not null default 'active' check (status in ('active', 'paused', 'resuming')),
  rejected integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table intake.sources is 'Services that send webhooks, each with its own URL.';
comment on column intake.sources.secrets is 'Sealed JSON with the current and the previous secret.';
comment on column intake.sources.token is 'Sealed last part of the URL.';
comment on column intake.sources.forward is 'Form of the jobs, without headers. Null if requests are only stored.';
comment on column intake.sources.forward_headers is 'Sealed JSON object with the headers of the jobs.';
comment on column intake.sources.status is 'resuming: held requests become jobs, and new ones are held behind them.';
comment on column intake.sources.rejected is 'Number of recorded requests with an invalid signature.';

create index sources_list on intake.sources (org_id, id);
create index sources_provider on intake.sources (org_id, provider, id);
create index sources_status on intake.sources (org_id, status, id);
create index sources_previous_token on intake.sources (previous_token_hash) where previous_token_hash is not null;

create table intake.requests (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  source_id uuid not null references intake.sources (id) on delete cascade,
  verified boolean not null,
  reason text,
  status text not null check (status in ('forwarded', 'held', 'stored', 'filtered', 'rejected')),
  event_id text,
  event_type text,
  job_status text check (job_status in ('pending', 'completed', 'failed', 'cancelled')),
  dedupe_key text,
  duplicates integer not null default 0,
  headers jsonb not null,
  content_type text,
  size integer not null,
  body bytea not null,
  signed_at timestamptz,
  received_at timestamptz not null default now()
);

comment on table intake.requests is 'Received webhooks with the exact bytes of their bodies.';
comment on column intake.requests.size is 'Size of the received body in bytes. Of a rejected request, only the start is stored.';
comment on column intake.requests.job_status is 'Status of the newest job of the request. Null if it has no job.';
comment on column intake.requests.dedupe_key is 'ID of the event, if repeated requests of the source are not forwarded again.';
comment on column intake.requests.signed_at is 'Time in the signature. Null if the provider signs no time.';

create unique index requests_dedupe on intake.requests (source_id, dedupe_key) where dedupe_key is not null;
create index requests_list on intake.requests (org_id, id);
create index requests_source on intake.requests (org_id, source_id, id);
create index requests_verified on intake.requests (org_id, verified, id);
create index requests_status on intake.requests (org_id, status, id);
create index requests_job_status on intake.requests (org_id, job_status, id) where job_status is not null;
create index requests_event_type on intake.requests (org_id, event_type, id) where event_type is not null;
create index requests_event_id on intake.requests (org_id, event_id, id) where event_id is not null;
create index requests_held on intake.requests (source_id, id) where status = 'held';
create index requests_rejected on intake.requests (source_id, id) where not verified;

select account.fence_closed('intake.sources', 'intake.requests');
select account.let_moves_pass();
