alter table email.deliveries
  add column losses smallint not null default 0,
  add column sending_losses smallint not null default 0,
  add column stage text check (stage in ('making', 'sending'));

comment on column email.deliveries.losses is 'Workers that went while they made it, since its last attempt, and the first that went while it was at it; with two it fails for good.';
comment on column email.deliveries.sending_losses is 'Workers that went while they sent it, after one of losses; with five it is given up, as it may have arrived.';
comment on column email.deliveries.stage is 'Of a message with losses: what is done with it under the present lease.';
