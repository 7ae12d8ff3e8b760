alter table email.daily add column taken integer not null default 0;

comment on column email.daily.taken is
  'Messages that a server took, the recipient''s own or a smarthost, but those that bounced later: what rates of bounces and complaints are shares of.';

-- What the reputation gate still looks at.
update email.daily set taken = case when delivered > 0 then delivered else sent end
where day > (now() at time zone 'utc')::date - 8;
