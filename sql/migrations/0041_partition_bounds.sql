-- Tables that only grow are made partitions by the time of an id. What is there becomes the first one, whole and where it is: up
-- to the month after next. Until then no other has rows, so that a release before, which deletes rows of these tables by
-- their place alone, goes on beside. The checks are validated by the next migration. Where an id is of a far time, or of none,
-- the first one is for all times, and nothing else changes.
do $$
declare
  family record;
  newest uuid;
  newest_at timestamptz;
  bound date;
begin
  for family in select * from (values
    ('email', array['attempts'], array['message_id']),
    ('push', array['attempts'], array['message_id']),
    ('video', array['views'], array['session_id']),
    ('webhooks', array['events', 'deliveries'], array['id', 'event_id'])) as f (area, names, keys)
  loop
    for i in 1..array_length(family.names, 1) loop
      execute format('lock table %I.%I in access exclusive mode', family.area, family.names[i]);
    end loop;
    execute format('select %1$I from %2$I.%3$I order by %1$I desc limit 1', family.keys[1], family.area, family.names[1])
      into newest;
    newest_at := coalesce(
      to_timestamp(('x' || left(replace(newest::text, '-', ''), 12))::bit(48)::bigint / 1000.0), '-infinity');
    continue when newest_at > now() + interval '1 year';
    bound := greatest(date_trunc('month', now() at time zone 'utc') + interval '1 month',
      date_trunc('month', newest_at at time zone 'utc')) + interval '1 month';
    for i in 1..array_length(family.names, 1) loop
      execute format('alter table %I.%I add constraint %I check (%I < %L) not valid',
        family.area, family.names[i], family.names[i] || '_first_bound', family.keys[i], account.first_id_of(bound));
    end loop;
  end loop;
end
$$;
