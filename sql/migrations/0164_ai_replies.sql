create table ai.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  cache_seconds integer check (cache_seconds between 1 and 604800),
  fallbacks jsonb not null default '{}',
  updated_at timestamptz not null default now()
);

comment on table ai.settings is 'AI settings of organisations.';
comment on column ai.settings.cache_seconds is 'Time for which responses are cached if a request does not set it. Null: not cached.';
comment on column ai.settings.fallbacks is 'Models that are used after a failure, by the requested model.';

create unlogged table ai.replies (
  org_id uuid not null references account.orgs (id) on delete cascade,
  digest bytea not null,
  models text[] not null,
  sealed text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (org_id, digest)
);

comment on table ai.replies is 'Cached responses to exact repeats of a request; expendable.';
comment on column ai.replies.digest is 'SHA-256 of the organisation and the canonical request.';
comment on column ai.replies.models is 'Requested model, and the model that responded. A key must be allowed to use both.';
comment on column ai.replies.sealed is 'Encrypted response.';

create index replies_expires_at on ai.replies (expires_at);
create index replies_oldest on ai.replies (org_id, created_at);

select account.fence_closed('ai.settings');
select account.let_moves_pass();
