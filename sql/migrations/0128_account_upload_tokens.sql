-- Tokens with which a web page starts uploads without an API key.
create table if not exists account.upload_tokens (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid not null,
  area text not null check (area in ('files', 'stream')),
  product_key text,
  tenant_id text,
  content_types text[] not null default '{}',
  max_bytes bigint not null check (max_bytes > 0),
  max_files integer not null check (max_files > 0),
  files integer not null default 0,
  origins text[] not null check (cardinality(origins) > 0),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_at timestamptz not null default now(),
  constraint upload_tokens_files check (files <= max_files),
  constraint upload_tokens_owner check (area <> 'files' or (product_key is not null and tenant_id is not null))
);

comment on table account.upload_tokens is 'Upload tokens of web pages. The token itself is not stored: it is signed.';
comment on column account.upload_tokens.key_id is 'API key that created the token. The token expires with it.';
comment on column account.upload_tokens.content_types is 'Media types that the page can declare. Empty for all types.';
comment on column account.upload_tokens.files is 'Number of uploads that were started.';

create index if not exists upload_tokens_org on account.upload_tokens (org_id, area, id desc);
create index if not exists upload_tokens_expired on account.upload_tokens (expires_at);

select account.fence_closed('account.upload_tokens');
select account.let_moves_pass();
