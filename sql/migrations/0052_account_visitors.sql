-- A plan of the operator's own begins with the numbers of `pro`, and so does one that the release before makes: hence the defaults.
alter table account.plans
  add column visitor_requests_per_minute integer,
  add column site_requests_per_minute integer;
update account.plans set
  visitor_requests_per_minute = case
    when name = 'free' then 120 when org_requests_per_minute >= 1000000000 then 1000000000 else 600 end,
  site_requests_per_minute = case
    when name = 'free' then 3000 when org_requests_per_minute >= 1000000000 then 1000000000 else 60000 end;
alter table account.plans
  alter column visitor_requests_per_minute set not null,
  alter column visitor_requests_per_minute set default 600,
  alter column site_requests_per_minute set not null,
  alter column site_requests_per_minute set default 60000;

comment on column account.plans.visitor_requests_per_minute is 'Requests that one visitor (an IPv4 address, an IPv6 /64) may make with a public key.';
comment on column account.plans.site_requests_per_minute is 'Requests that all visitors may make with one public key; none counts against a server key.';
