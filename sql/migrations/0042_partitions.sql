-- Validated first, while all goes on beside: no table is held for longer than its name changes.
do $$
declare
  bound record;
begin
  for bound in
    select conrelid::regclass as owner, conname from pg_constraint
    where conname in ('attempts_first_bound', 'views_first_bound', 'events_first_bound', 'deliveries_first_bound')
    order by array_position(array['email', 'push', 'video', 'webhooks'], split_part(conrelid::regclass::text, '.', 1)),
      conname = 'deliveries_first_bound'
  loop
    execute format('alter table %s validate constraint %I', bound.owner, bound.conname);
  end loop;
end
$$;

-- Gives a table another name, with its indexes, and makes a partitioned one of its columns and checks in its place.
create function pg_temp.make_whole(area text, name text, key text) returns void language plpgsql as $$
declare
  former text := name || '_first';
  index text;
begin
  execute format('lock table %I.%I in access exclusive mode', area, name);
  execute format('alter table %I.%I rename to %I', area, name, former);
  for index in select relname from pg_index join pg_class on oid = indexrelid where indrelid = format('%I.%I', area, former)::regclass loop
    execute format('alter index %I.%I rename to %I', area, index, regexp_replace(index, '^' || name, former));
  end loop;
  execute format('create table %1$I.%2$I (like %1$I.%3$I including all excluding indexes) partition by range (%4$I)',
    area, name, former, key);
  execute format('alter table %I.%I drop constraint if exists %I', area, name, former || '_bound');
end
$$;

-- Makes the former table the first partition, without reading it, and one of what is in no other.
create function pg_temp.attach_first(area text, name text, options text default '') returns void language plpgsql as $$
declare
  former text := name || '_first';
  bound text := (select coalesce(quote_literal(substring(pg_get_constraintdef(oid) from '[0-9a-f-]{36}')), 'maxvalue')
    from pg_constraint where conrelid = format('%I.%I', area, former)::regclass and conname = former || '_bound');
begin
  execute format('alter table %1$I.%2$I attach partition %1$I.%3$I for values from (minvalue) to (%4$s)',
    area, name, former, coalesce(bound, 'maxvalue'));
  execute format('alter table %I.%I drop constraint if exists %I', area, former, former || '_bound');
  execute format('create table %1$I.%2$I partition of %1$I.%3$I default %4$s', area, name || '_default', name, options);
end
$$;

select pg_temp.make_whole('email', 'attempts', 'message_id');
alter table email.attempts add foreign key (message_id) references email.messages (id) on delete cascade;
create index attempts_message on email.attempts (message_id, number);
select pg_temp.attach_first('email', 'attempts');
alter table email.attempts_default add primary key (id);
comment on table email.attempts is
  'The delivery route of messages: each attempt with every reply of the other side; in partitions by the time of the message.';

select pg_temp.make_whole('push', 'attempts', 'message_id');
alter table push.attempts add foreign key (message_id) references push.messages (id) on delete cascade;
create index attempts_message on push.attempts (message_id, id);
select pg_temp.attach_first('push', 'attempts');
alter table push.attempts_default add primary key (id);
comment on table push.attempts is 'Every time that a provider was given a push; in partitions by the time of the message.';

select pg_temp.make_whole('video', 'views', 'session_id');
alter table video.views add primary key (session_id, view_id);
alter table video.views add foreign key (asset_id) references video.assets (id) on delete cascade;
create index views_created on video.views (created_at);
create index views_asset on video.views (asset_id);
select pg_temp.attach_first('video', 'views', 'with (fillfactor = 60)');
comment on table video.views is 'Views by their beacons; in partitions by the time of the session.';

select pg_temp.make_whole('webhooks', 'events', 'id');
select pg_temp.make_whole('webhooks', 'deliveries', 'event_id');
alter table webhooks.events add primary key (id);
alter table webhooks.events add foreign key (org_id) references account.orgs (id) on delete cascade;
create index events_created_at on webhooks.events (created_at);
create index events_org on webhooks.events (org_id, id);
select pg_temp.attach_first('webhooks', 'events');
alter table webhooks.deliveries add unique (event_id, endpoint_id);
alter table webhooks.deliveries add foreign key (endpoint_id) references webhooks.endpoints (id) on delete cascade;
create index deliveries_due on webhooks.deliveries (endpoint_id, due_at) where status = 'pending';
create index deliveries_endpoint on webhooks.deliveries (endpoint_id, id);
select pg_temp.attach_first('webhooks', 'deliveries');
alter table webhooks.deliveries_default add primary key (id);
alter table webhooks.deliveries_default add foreign key (event_id) references webhooks.events_default (id) on delete cascade;
comment on table webhooks.events is
  'What endpoints are told of, in partitions by the time of the id; one that nobody subscribes to has a row only where webhooks.settings says so.';
comment on table webhooks.deliveries is
  'One for each event and endpoint, with what its last attempt came to: the log. A partition is for the events of the one with the same bounds, and its foreign key says so: both go together.';
