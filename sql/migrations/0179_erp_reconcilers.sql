create table erp.reconcilers (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  token text not null,
  token_hash text not null unique,
  last_used_at timestamptz,
  created_at timestamptz not null default now()
);

comment on table erp.reconcilers is 'URLs of the reconciliation service, for programs that cannot send an API key.';
comment on column erp.reconcilers.token is 'Sealed last part of the URL.';

create index reconcilers_newest on erp.reconcilers (org_id, id);

select account.fence_closed('erp.reconcilers');
