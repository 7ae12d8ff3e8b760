alter table email.deliveries
  add column losses smallint not null default 0,
  add column handed boolean not null default false;

comment on column email.deliveries.losses is 'Workers that went while they were at it, since its last attempt; with two it fails for good.';
comment on column email.deliveries.handed is 'Of a message with losses: a server is being given it under the present lease, and may have taken it.';
