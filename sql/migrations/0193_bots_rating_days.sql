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
comment on column bots.rating_days.assignee_id is 'Empty for conversations that were assigned to nobody.';
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
