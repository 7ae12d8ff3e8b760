-- Statistics read each open and click once. With 10 million of them, this took a minute.
create table email.engagement_daily (
  org_id uuid not null references account.orgs (id) on delete cascade,
  tag text not null,
  day date not null,
  stream text not null,
  campaign_id text not null,
  domain text not null,
  machine boolean not null,
  opened bigint not null default 0,
  opens bigint not null default 0,
  clicked bigint not null default 0,
  clicks bigint not null default 0,
  last_clicked bigint not null default 0,
  primary key (org_id, tag, day, stream, campaign_id, domain, machine)
);

create index engagement_daily_campaign on email.engagement_daily (org_id, campaign_id, day) where campaign_id <> '';
create index engagement_daily_tags on email.engagement_daily (org_id, day) where tag <> '';

comment on table email.engagement_daily is
  'Opens and clicks by the day (UTC) of the first request of each message and link. Triggers of email.engagements count them.';
comment on column email.engagement_daily.tag is 'Empty for all messages. A message also counts for each of its tags, as `name:value`.';
comment on column email.engagement_daily.campaign_id is 'Empty for messages without a campaign.';
comment on column email.engagement_daily.last_clicked is
  'Messages with their newest clicked link on this day. The sum of several days counts each message once.';

-- Changes of the counters of one message on one day.
create type email.engagement_change as (
  message_id uuid, machine boolean, day date, opened bigint, opens bigint, clicked bigint, clicks bigint, last_clicked bigint
);

create function email.add_engagement_changes(changes email.engagement_change[]) returns void language sql as $$
  insert into email.engagement_daily as d
    (org_id, tag, day, stream, campaign_id, domain, machine, opened, opens, clicked, clicks, last_clicked)
  select m.org_id, t.tag, c.day, m.stream, coalesce(m.campaign_id::text, ''), split_part(m.from_email, '@', 2), c.machine,
    sum(c.opened), sum(c.opens), sum(c.clicked), sum(c.clicks), sum(c.last_clicked)
  from unnest(changes) as c join email.messages as m on m.id = c.message_id,
    lateral (
      select '' union all select name || ':' || value from email.message_tags where message_id = c.message_id) as t (tag)
  group by 1, 2, 3, 4, 5, 6, 7
  on conflict (org_id, tag, day, stream, campaign_id, domain, machine) do update set
    opened = d.opened + excluded.opened, opens = d.opens + excluded.opens, clicked = d.clicked + excluded.clicked,
    clicks = d.clicks + excluded.clicks, last_clicked = d.last_clicked + excluded.last_clicked;
$$;

create function email.remove_empty_engagement_days(changes email.engagement_change[]) returns void language sql as $$
  delete from email.engagement_daily as d
  using unnest(changes) as c join email.messages as m on m.id = c.message_id
  where d.org_id = m.org_id and d.day = c.day and d.stream = m.stream
    and d.campaign_id = coalesce(m.campaign_id::text, '') and d.domain = split_part(m.from_email, '@', 2)
    and d.tag in (
      select '' union all select name || ':' || value from email.message_tags where message_id = c.message_id)
    and d.machine = c.machine and d.opens = 0 and d.clicks = 0;
$$;

-- One statement inserts and updates engagements of several organisations, so it changes days in two orders. The lock
-- prevents deadlocks, and lets each change see the clicks that others have added to the message.
create function email.lock_engagement_days() returns void language sql as $$
  select pg_advisory_xact_lock(7742, 0)
$$;

-- An added or removed click changes the number of clicked messages only if the message has no other click on that day,
-- and `last_clicked` only if it has no later click.
create function email.count_engagements() returns trigger language plpgsql as $$
declare
  sign integer := case when tg_op = 'INSERT' then 1 else -1 end;
  changes email.engagement_change[];
begin
  if not exists (select from changed) then
    return null;
  end if;
  perform email.lock_engagement_days();
  select array_agg((message_id, machine, day, sign * opened, sign * opens, sign * clicked, sign * clicks,
    sign * last_clicked)::email.engagement_change) into changes
  from (
    select message_id, machine, day,
      count(*) filter (where is_changed and kind = 'open') as opened,
      coalesce(sum(count) filter (where is_changed and kind = 'open'), 0) as opens,
      (bool_or(kind = 'click') and not bool_or(kind = 'click' and not is_changed))::integer as clicked,
      coalesce(sum(count) filter (where is_changed and kind = 'click'), 0) as clicks,
      coalesce(day = max(max(day) filter (where kind = 'click')) over of_message, false)::integer
        - coalesce(day = max(max(day) filter (where kind = 'click' and not is_changed)) over of_message, false)::integer
        as last_clicked
    from (
      select message_id, machine, kind, count, (first_at at time zone 'utc')::date as day, true as is_changed from changed
      union all
      select e.message_id, e.machine, e.kind, e.count, (e.first_at at time zone 'utc')::date, false
      from email.engagements as e
      where e.kind = 'click' and e.message_id in (select message_id from changed where kind = 'click')
        and not exists (
          select from changed as c
          where c.message_id = e.message_id and c.kind = e.kind and c.url = e.url and c.machine = e.machine)) as all_of
    group by message_id, machine, day
    window of_message as (partition by message_id, machine)) as counted
  where opened <> 0 or clicks <> 0 or last_clicked <> 0;
  perform email.add_engagement_changes(changes);
  if tg_op = 'DELETE' then
    perform email.remove_empty_engagement_days(changes);
  end if;
  return null;
end
$$;

-- Further requests of a message and link count on the day of the first one.
create function email.count_repeated_engagements() returns trigger language plpgsql as $$
begin
  if not exists (select from changed) then
    return null;
  end if;
  perform email.lock_engagement_days();
  perform email.add_engagement_changes(array_agg((c.message_id, c.machine, (c.first_at at time zone 'utc')::date,
    0, case when c.kind = 'open' then c.count::bigint - p.count else 0 end,
    0, case when c.kind = 'click' then c.count::bigint - p.count else 0 end, 0)::email.engagement_change))
  from changed as c join previous as p
    on p.message_id = c.message_id and p.kind = c.kind and p.url = c.url and p.machine = c.machine;
  return null;
end
$$;

create trigger count_added after insert on email.engagements referencing new table as changed
  for each statement execute function email.count_engagements();

create trigger count_removed after delete on email.engagements referencing old table as changed
  for each statement execute function email.count_engagements();

create trigger count_repeated after update on email.engagements referencing old table as previous new table as changed
  for each statement execute function email.count_repeated_engagements();

select account.let_moves_pass();

-- The new triggers have locked the table for writes, so no request is missed. Until the commit, each ingress process keeps
-- up to 20,000 requests in memory.
do $$
declare
  done uuid := '00000000-0000-0000-0000-000000000000';
  last uuid;
begin
  loop
    select message_id into last from email.engagements where message_id > done order by message_id offset 99999 limit 1;
    last := coalesce(last, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    perform email.add_engagement_changes(array_agg((message_id, machine, day, opened, opens, clicked, clicks,
      last_clicked)::email.engagement_change))
    from (
      select message_id, machine, day, count(*) filter (where kind = 'open') as opened,
        coalesce(sum(count) filter (where kind = 'open'), 0) as opens,
        bool_or(kind = 'click')::integer as clicked,
        coalesce(sum(count) filter (where kind = 'click'), 0) as clicks,
        coalesce(day = max(max(day) filter (where kind = 'click')) over (partition by message_id, machine), false)::integer
          as last_clicked
      from (
        select message_id, machine, kind, count, (first_at at time zone 'utc')::date as day from email.engagements
        where message_id > done and message_id <= last) as batch
      group by message_id, machine, day) as counted;
    exit when last = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
    done := last;
  end loop;
end
$$;
