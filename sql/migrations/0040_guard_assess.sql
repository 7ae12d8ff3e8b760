create function guard.decayed(value double precision, seconds double precision, mean_life double precision)
returns double precision language sql immutable parallel safe
return case
  when value < 0.001 or seconds > 20 * mean_life then 0
  else value * exp(-greatest(seconds, 0) / mean_life)
end;

comment on function guard.decayed is 'What is left of a count after some seconds. Small remains are nothing: Postgres throws at an underflow.';

create table guard.visitors (
  site_id uuid not null,
  kind text not null check (kind in ('address', 'subnet', 'site')),
  subject text not null,
  requests double precision not null default 0,
  failures double precision not null default 0,
  usual double precision not null default 0,
  noted_at timestamptz not null default now(),
  primary key (site_id, kind, subject)
);

comment on table guard.visitors is 'How much each network asks of a site, as counts that decay from noted_at on.';
comment on column guard.visitors.subject is 'Hash of the site with the address (IPv6: its /64) or the subnet (/24, IPv6: /48); empty for the site itself.';
comment on column guard.visitors.requests is 'Mean life 60 s: at a steady rate, the requests of a minute.';
comment on column guard.visitors.failures is 'Wrong answers; mean life 600 s.';
comment on column guard.visitors.usual is 'Requests; mean life an hour: what the site is used to.';

create index visitors_noted on guard.visitors (noted_at);

create table guard.assessments (
  id uuid primary key,
  org_id uuid not null,
  site_id uuid not null,
  action text not null,
  subject text not null,
  signals jsonb not null,
  decision text not null check (decision in ('allow', 'challenge', 'deny')),
  tier text check (tier in ('low', 'normal', 'high', 'extreme')),
  score smallint not null,
  reasons jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

comment on table guard.assessments is 'Judgements of attempts with their reasons, for the challenge that follows and for who asks why.';

create index assessments_site on guard.assessments (site_id, created_at);
create index assessments_expires on guard.assessments (expires_at);

create table guard.tickets (
  id uuid primary key,
  spent_at timestamptz not null default now()
);

comment on table guard.tickets is 'Tickets of the page without script that have been turned into their one token.';

create index tickets_spent on guard.tickets (spent_at);
