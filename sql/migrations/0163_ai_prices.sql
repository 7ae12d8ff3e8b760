create table ai.prices (
  id uuid primary key,
  model text not null,
  currency text check (currency ~ '^[A-Z]{3}$'),
  input bigint check (input >= 0),
  cached_input bigint check (cached_input >= 0),
  output bigint check (output >= 0),
  minute bigint check (minute >= 0),
  valid_from timestamptz not null default now(),
  created_by text not null,
  unique (model, valid_from),
  check ((currency is null) = (input is null) and (input is null) = (output is null)),
  check (input is not null or (cached_input is null and minute is null))
);

comment on table ai.prices is 'Prices of models. Rows are added and never changed, so a new price does not change the cost of past requests.';
comment on column ai.prices.model is 'Name of the model on the upstream server.';
comment on column ai.prices.currency is 'ISO 4217. Null if the model has no price from this time.';
comment on column ai.prices.input is 'Billionths of the currency per million input tokens.';
comment on column ai.prices.cached_input is 'The same for input tokens that the upstream server has cached. Null: the price of other input.';
comment on column ai.prices.output is 'The same for output tokens.';
comment on column ai.prices.minute is 'Billionths of the currency per minute of audio. Null: audio costs nothing in addition to its tokens.';

create table ai.costs (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  key_id text not null,
  model text not null,
  operation text not null,
  currency text not null,
  requests bigint not null,
  cached bigint not null,
  prompt_tokens bigint not null,
  cached_tokens bigint not null,
  completion_tokens bigint not null,
  cost bigint,
  primary key (org_id, day, key_id, model, operation, currency),
  check ((cost is null) = (currency = ''))
) with (fillfactor = 50);

comment on table ai.costs is 'Cost of AI requests by day, key, model and operation.';
comment on column ai.costs.key_id is 'API key of the requests. Empty for work without a key.';
comment on column ai.costs.model is 'Name of the model on the upstream server.';
comment on column ai.costs.currency is 'Currency of the cost. Empty if the model had no price.';
comment on column ai.costs.cached is 'Requests whose response came from the cache. They cost nothing.';
comment on column ai.costs.cached_tokens is 'Input tokens that the upstream server had cached. They are part of prompt_tokens.';
comment on column ai.costs.cost is 'Billionths of the currency. Null if the model had no price.';

create index costs_key on ai.costs (key_id, day) where key_id <> '';
create index costs_day on ai.costs (day);

create table ai.charges (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  operation text not null,
  subject text,
  model text not null,
  currency text,
  price_id uuid references ai.prices (id),
  reserved bigint not null,
  prompt_tokens bigint not null,
  expires_at timestamptz not null
);

comment on table ai.charges is 'Requests to models in progress. If a worker is lost, its rows are charged with an estimate.';
comment on column ai.charges.subject is 'Completion or run. A new attempt charges the rows of the previous attempt.';
comment on column ai.charges.reserved is 'Maximum cost of the request, reserved in the budget of the key, in billionths of the currency.';
comment on column ai.charges.prompt_tokens is 'Estimated input, charged if the worker is lost.';
comment on column ai.charges.price_id is 'Price at the start of the request. Null if the model has no price.';

create index charges_org on ai.charges (org_id);
create index charges_key on ai.charges (key_id) where key_id is not null;
create index charges_subject on ai.charges (subject) where subject is not null;
create index charges_price on ai.charges (price_id) where price_id is not null;
create index charges_expires_at on ai.charges (expires_at);

alter table account.keys add column ai jsonb;

comment on column account.keys.ai is 'AI limits of the key: allowed models, and a budget in billionths of a currency. They also apply to keys that the key created. Null: no limits.';

create table ai.key_alerts (
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid not null,
  period text not null check (period in ('month', 'day')),
  starts_on date not null,
  percent integer not null,
  created_at timestamptz not null default now(),
  primary key (key_id, period, starts_on, percent)
);

comment on table ai.key_alerts is 'Reported thresholds of AI budgets of keys.';

create index key_alerts_org on ai.key_alerts (org_id);
create index key_alerts_created_at on ai.key_alerts (created_at);

alter table ai.completions add column key_id uuid;
alter table ai.completions add column fallbacks jsonb;
alter table ai.completions add column answered text;

comment on column ai.completions.key_id is 'API key of the request.';
comment on column ai.completions.fallbacks is 'Models that are used after a failure. Null: the fallbacks of the operator.';
comment on column ai.completions.answered is 'Requested model or fallback that responded. Null until the end.';
