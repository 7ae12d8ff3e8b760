-- What organisations have used by day, and what they let themselves use.
create table account.usage_daily (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  metric text not null,
  dimension text not null default '',
  amount bigint not null,
  primary key (org_id, metric, dimension, day)
) with (fillfactor = 50);

comment on table account.usage_daily is 'By day of UTC. What is billed is counted in the transaction of its effect, the rest by a roll-up that overwrites.';
comment on column account.usage_daily.dimension is 'Empty for all of it, or a part by name: domain:example.com, key:<id>, app:<id>.';

create index usage_daily_day on account.usage_daily (day);

create table account.budgets (
  org_id uuid not null references account.orgs (id) on delete cascade,
  metric text not null,
  period text not null check (period in ('month', 'day')),
  soft bigint check (soft >= 0),
  hard bigint check (hard >= 0),
  alert_at integer[] not null,
  updated_at timestamptz not null default now(),
  primary key (org_id, metric),
  check (soft is not null or hard is not null)
);

comment on table account.budgets is 'Limits of an organisation''s own, below its plan''s. Who counts against one holds its row until the transaction ends.';

create table account.budget_alerts (
  org_id uuid not null references account.orgs (id) on delete cascade,
  metric text not null,
  period text not null check (period in ('month', 'day')),
  starts_on date not null,
  percent integer not null,
  used bigint not null,
  "limit" bigint not null,
  created_at timestamptz not null default now(),
  primary key (org_id, metric, period, starts_on, percent)
);

comment on table account.budget_alerts is 'Thresholds that were told, each once in its period.';

create index budget_alerts_created_at on account.budget_alerts (created_at);

create table account.usage_reservations (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  metric text not null,
  amount bigint not null check (amount >= 0),
  expires_at timestamptz not null
);

comment on table account.usage_reservations is 'Of budgets, for work whose amount is known at its end; what nobody has settled ends by itself.';

create index usage_reservations_org on account.usage_reservations (org_id, metric);
create index usage_reservations_expires_at on account.usage_reservations (expires_at);

-- What this month has come to before it was counted by day.
insert into account.usage_daily (org_id, day, metric, amount)
select org_id, month, 'email.messages', messages from email.usage
where month = date_trunc('month', now() at time zone 'utc')::date and messages > 0;

insert into account.usage_daily (org_id, day, metric, amount)
select org_id, day, 'ai.tokens', sum(prompt_tokens + completion_tokens) from ai.usage group by org_id, day;

-- Calls end in many ways, each of which settles what was reserved for it, in its transaction.
create function voice.count_seconds() returns trigger language plpgsql as $$
declare
  seconds bigint := coalesce(ceil(extract(epoch from new.ended_at - new.answered_at)), 0);
begin
  delete from account.usage_reservations where id = new.id;
  if seconds > 0 then
    insert into account.usage_daily as u (org_id, day, metric, amount)
    values (new.org_id, (new.ended_at at time zone 'utc')::date, 'voice.seconds', seconds)
    on conflict (org_id, metric, dimension, day) do update set amount = u.amount + excluded.amount;
  end if;
  return null;
end
$$;

create trigger count_seconds after update of ended_at on voice.calls for each row
  when (old.ended_at is null and new.ended_at is not null) execute function voice.count_seconds();
