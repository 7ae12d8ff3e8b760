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
