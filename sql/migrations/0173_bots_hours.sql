create table bots.hours (
  bot_id uuid primary key references bots.bots (id) on delete cascade,
  time_zone text not null,
  intervals jsonb not null,
  closed_dates jsonb not null default '[]',
  asks_email boolean not null default true,
  updated_at timestamptz not null default now()
);

comment on table bots.hours is 'Times at which people reply instead of a bot. A bot without a row is always open.';
comment on column bots.hours.intervals is 'Weekly intervals: day (1 is Monday), from, to. They do not overlap.';
comment on column bots.hours.closed_dates is 'Local dates without office hours.';
comment on column bots.hours.asks_email is 'Visitors are asked for an email address outside office hours.';
