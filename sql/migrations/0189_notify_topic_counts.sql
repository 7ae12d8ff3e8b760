-- A topic has up to a million people. Counting them took a second for each addition and for each page of topics.
alter table notify.topics add column people integer not null default 0;

comment on column notify.topics.people is 'Number of people in the topic. Counted by a trigger.';

-- Topics are locked in the order of their IDs, so that removals from several topics do not block each other.
create function notify.count_topic_people() returns trigger language plpgsql as $$
declare
  change record;
begin
  for change in select topic_id, count(*) as people from changed group by topic_id order by topic_id
  loop
    update notify.topics set people = people + case when tg_op = 'INSERT' then change.people else -change.people end
    where id = change.topic_id;
  end loop;
  return null;
end
$$;

create trigger count_added after insert on notify.topic_people referencing new table as changed
  for each statement execute function notify.count_topic_people();

create trigger count_removed after delete on notify.topic_people referencing old table as changed
  for each statement execute function notify.count_topic_people();

select account.let_moves_pass();

-- The new triggers have locked the table for writes, so no addition is missed.
update notify.topics as t set people = c.people
from (select topic_id, count(*) as people from notify.topic_people group by topic_id) as c where c.topic_id = t.id;
