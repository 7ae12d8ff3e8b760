-- Requests in other formats than chat completions, and models for reranking.
alter table ai.completions
  add column api text not null default 'chat' check (api in ('chat', 'responses', 'messages'));

comment on column ai.completions.api is 'API of the request, whose format the answer has.';

alter table ai.upstreams
  add column rerank_models jsonb not null default '[]';

comment on column ai.upstreams.rerank_models is 'Models that order documents, each with the name of the model there; in their order.';
