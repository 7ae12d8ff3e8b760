create schema ai;

comment on schema ai is 'Work on text: what it cost. The texts themselves are not kept.';

create table ai.usage (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  operation text not null,
  outcome text not null,
  requests bigint not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  primary key (org_id, day, operation, outcome)
) with (fillfactor = 50);

comment on column ai.usage.outcome is '`done`, or the code of the problem that the request ended with.';

create index usage_day on ai.usage (day);

-- The gateway to upstream models in OpenAI's shape: completions under way, a cache of embeddings, and what workers know of upstreams.
create table ai.completions (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  request text not null,
  streamed boolean not null,
  status text not null default 'pending' check (status in ('pending', 'done', 'failed')),
  generation integer not null default 0,
  error jsonb,
  created_at timestamptz not null default now()
);

comment on table ai.completions is 'Requests for a completion, from the moment they are accepted until their answer is sent; with an idempotency key for a day.';
comment on column ai.completions.request is 'The body that is passed on, in JSON; a text, as jsonb takes no NUL.';
comment on column ai.completions.generation is 'How often it was begun; only the last one may add pieces or end it.';
comment on column ai.completions.error is 'Why there is no whole answer.';

create index completions_org on ai.completions (org_id);
create index completions_created_at on ai.completions (created_at);

create unlogged table ai.pieces (
  completion_id uuid not null references ai.completions (id) on delete cascade,
  n integer not null,
  data text not null,
  primary key (completion_id, n)
);

comment on table ai.pieces is 'Answers as they come, for the ingress that sends them; of one that is not streamed there is one piece. Expendable.';

create unlogged table ai.embeddings (
  org_id uuid not null references account.orgs (id) on delete cascade,
  model text not null,
  dimensions integer not null,
  digest bytea not null,
  vector bytea not null,
  used_at timestamptz not null default now(),
  primary key (org_id, model, dimensions, digest)
);

comment on table ai.embeddings is 'Vectors of texts, so that no text is paid for twice; expendable.';
comment on column ai.embeddings.dimensions is 'As asked for; 0 for as many as the model gives.';
comment on column ai.embeddings.digest is 'SHA-256 of the text.';
comment on column ai.embeddings.vector is 'Float32 after Float32, the lowest byte first.';
comment on column ai.embeddings.used_at is 'Written at most once a day.';

create index embeddings_used_at on ai.embeddings (used_at);
create index embeddings_oldest on ai.embeddings (org_id, used_at);

create table ai.upstreams (
  worker_id uuid not null,
  name text not null,
  place integer not null,
  models jsonb not null,
  embedding_models jsonb not null,
  state text not null check (state in ('unknown', 'up', 'failing', 'resting')),
  requests bigint not null,
  failures bigint not null,
  last_ok_at timestamptz,
  last_failed_at timestamptz,
  last_status integer,
  seen_at timestamptz not null default now(),
  primary key (worker_id, name)
);

comment on table ai.upstreams is 'Servers of models as each worker knows them; no address and no key.';
comment on column ai.upstreams.models is 'Names that clients may ask for, each with the name of the model there; in their order.';

create index upstreams_seen_at on ai.upstreams (seen_at);
