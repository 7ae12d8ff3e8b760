-- Summaries read each rating of their period, up to a year.
create table bots.rating_days (
  org_id uuid not null references account.orgs (id) on delete cascade,
  day date not null,
  bot_id uuid not null,
  assignee_id text not null,
  week date not null,
  score smallint not null,
  ratings integer not null,
  primary key (org_id, day, bot_id, assignee_id, week, score)
);

comment on table bots.rating_days is 'Number of ratings by the day (UTC) of their ID. Triggers of bots.ratings count them.';
comment on column bots.rating_days.assignee_id is 'Empty for conversations without an assignee.';
comment on column bots.rating_days.week is 'Monday of the week of the creation time, which can differ from the time of the ID.';

create function bots.rating_day(id uuid) returns date language sql immutable as $$
  select (to_timestamp(('x' || left(translate(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0) at time zone 'utc')::date
$$;

create function bots.rating_week(created_at timestamptz) returns date language sql immutable as $$
  select date_trunc('week', created_at at time zone 'utc')::date
$$;

-- Days are changed in the order of their keys, so that changes of ratings do not block each other.
create function bots.add_ratings(changes bots.rating_days[]) returns void language sql as $$
  insert into bots.rating_days as d (org_id, day, bot_id, assignee_id, week, score, ratings)
  select org_id, day, bot_id, assignee_id, week, score, sum(ratings)
  from unnest(changes) group by 1, 2, 3, 4, 5, 6 having sum(ratings) <> 0 order by 1, 2, 3, 4, 5, 6
  on conflict (org_id, day, bot_id, assignee_id, week, score) do update set ratings = d.ratings + excluded.ratings;

  delete from bots.rating_days as d using unnest(changes) as c
  where c.ratings < 0 and d.ratings = 0 and d.org_id = c.org_id and d.day = c.day and d.bot_id = c.bot_id
    and d.assignee_id = c.assignee_id and d.week = c.week and d.score = c.score;
$$;

create function bots.count_ratings() returns trigger language plpgsql as $$
declare
  sign integer := case when tg_op = 'INSERT' then 1 else -1 end;
begin
  perform bots.add_ratings(array_agg((org_id, bots.rating_day(id), bot_id, coalesce(assignee_id::text, ''),
    bots.rating_week(created_at), score, sign)::bots.rating_days))
  from changed;
  return null;
end
$$;

create function bots.count_changed_ratings() returns trigger language plpgsql as $$
begin
  perform bots.add_ratings(array_agg((org_id, bots.rating_day(id), bot_id, coalesce(assignee_id::text, ''),
    bots.rating_week(created_at), score, sign)::bots.rating_days))
  from (select *, 1 as sign from changed union all select *, -1 from previous) as both_of;
  return null;
end
$$;

create trigger count_added after insert on bots.ratings referencing new table as changed
  for each statement execute function bots.count_ratings();

create trigger count_removed after delete on bots.ratings referencing old table as changed
  for each statement execute function bots.count_ratings();

create trigger count_changed after update on bots.ratings referencing old table as previous new table as changed
  for each statement execute function bots.count_changed_ratings();

select account.let_moves_pass();

-- The new triggers have locked the table for writes, so no rating is missed.
insert into bots.rating_days (org_id, day, bot_id, assignee_id, week, score, ratings)
select org_id, bots.rating_day(id), bot_id, coalesce(assignee_id::text, ''), bots.rating_week(created_at), score, count(*)
from bots.ratings group by 1, 2, 3, 4, 5, 6;

-- Conversions read each verification of up to 30 days.
create table verify.conversion_days (
  org_id uuid not null references account.orgs (id) on delete cascade,
  dimension text not null check (dimension in ('channel', 'country', 'prefix')),
  day date not null,
  value text not null,
  slot smallint not null,
  starts integer not null,
  approved integer not null,
  undeliverable integer not null,
  blocked integer not null,
  primary key (org_id, dimension, day, value, slot)
);

create index conversion_days_day on verify.conversion_days (day);

comment on table verify.conversion_days is
  'Verifications by the day (UTC) on which they started. Triggers of verify.verifications count them. Test verifications do not count.';
comment on column verify.conversion_days.slot is
  'Each connection to the database uses one of 16 slots, so that verifications do not wait for each other. One slot can be negative.';

create function verify.add_conversions(added verify.verifications[], removed verify.verifications[])
returns void language sql as $$
  insert into verify.conversion_days as d (org_id, dimension, day, value, slot, starts, approved, undeliverable, blocked)
  select org_id, dimension, day, value, pg_backend_pid() % 16, sum(sign),
    coalesce(sum(sign) filter (where status = 'approved'), 0),
    coalesce(sum(sign) filter (where status <> 'approved' and delivery = 'failed'), 0),
    coalesce(sum(sign) filter (where delivery = 'blocked'), 0)
  from (
      select v.*, 1 as sign from unnest(added) as v
      -- No request reads the days of verifications that are older.
      union all select v.*, -1 from unnest(removed) as v where v.created_at >= now() - interval '30 days') as v,
    lateral (select (v.created_at at time zone 'utc')::date as day) as at,
    lateral (values ('channel', v.channel), ('country', coalesce(v.country, '')), ('prefix', coalesce(v.prefix, '')))
      as of_dimension (dimension, value)
  where not v.sandbox
  group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (org_id, dimension, day, value, slot) do update set starts = d.starts + excluded.starts,
    approved = d.approved + excluded.approved, undeliverable = d.undeliverable + excluded.undeliverable,
    blocked = d.blocked + excluded.blocked;
$$;

create function verify.count_conversion() returns trigger language plpgsql as $$
begin
  perform verify.add_conversions(
    array[new], case when tg_op = 'UPDATE' then array[old] end);
  return null;
end
$$;

create trigger count_added after insert on verify.verifications
  for each row when (not new.sandbox) execute function verify.count_conversion();

create function verify.count_removed_conversions() returns trigger language plpgsql as $$
begin
  perform verify.add_conversions(null, (select array_agg(removed::verify.verifications) from changed as removed));
  return null;
end
$$;

create trigger count_removed after delete on verify.verifications referencing old table as changed
  for each statement execute function verify.count_removed_conversions();

create trigger count_changed after update on verify.verifications
  for each row when (not old.sandbox and (old.channel, old.country, old.prefix, old.status = 'approved',
    old.delivery = 'failed', old.delivery = 'blocked', old.created_at) is distinct from (new.channel, new.country,
    new.prefix, new.status = 'approved', new.delivery = 'failed', new.delivery = 'blocked', new.created_at))
  execute function verify.count_conversion();

select account.let_moves_pass();

-- The new triggers have locked the table for writes, so no verification is missed.
insert into verify.conversion_days (org_id, dimension, day, value, slot, starts, approved, undeliverable, blocked)
select org_id, dimension, (created_at at time zone 'utc')::date, value, 0, count(*),
  count(*) filter (where status = 'approved'), count(*) filter (where status <> 'approved' and delivery = 'failed'),
  count(*) filter (where delivery = 'blocked')
from verify.verifications,
  lateral (values ('channel', channel), ('country', coalesce(country, '')), ('prefix', coalesce(prefix, '')))
    as of_dimension (dimension, value)
where not sandbox group by 1, 2, 3, 4;
