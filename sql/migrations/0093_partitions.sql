-- Tables that only grow are partitions by the time of an id. A new database has one partition until the end of the next month, and one
-- for everything later.
create function pg_temp.add_partitions(area text, name text, options text default '') returns void language plpgsql as $$
declare
  bound date := date_trunc('month', now() at time zone 'utc') + interval '2 months';
begin
  execute format('create table %1$I.%2$I partition of %1$I.%3$I for values from (minvalue) to (%4$L) %5$s',
    area, name || '_first', name, account.first_id_of(bound), options);
  execute format('create table %1$I.%2$I partition of %1$I.%3$I default %4$s', area, name || '_default', name, options);
end
$$;

select pg_temp.add_partitions('email', 'attempts');
alter table email.attempts_first add primary key (id);
alter table email.attempts_default add primary key (id);

select pg_temp.add_partitions('push', 'attempts');
alter table push.attempts_first add primary key (id);
alter table push.attempts_default add primary key (id);

select pg_temp.add_partitions('video', 'views', 'with (fillfactor = 60)');

select pg_temp.add_partitions('webhooks', 'events');

-- A delivery is in the partition with the same bounds as the partition of its event, so that both can be deleted together.
select pg_temp.add_partitions('webhooks', 'deliveries');
alter table webhooks.deliveries_first add primary key (id);
alter table webhooks.deliveries_first add foreign key (event_id) references webhooks.events_first (id) on delete cascade;
alter table webhooks.deliveries_default add primary key (id);
alter table webhooks.deliveries_default add foreign key (event_id) references webhooks.events_default (id) on delete cascade;
