create schema status;

create table status.areas (
  area text primary key,
  state text not null check (state in ('ok', 'degraded', 'down')),
  reason text check (reason in ('failing', 'waiting', 'stopped', 'paused')),
  since timestamptz not null,
  bad_minutes integer not null default 0,
  good_minutes integer not null default 0,
  measured_at timestamptz not null
);

comment on table status.areas is 'The state of each area that was ever bad. The area '''' is the whole platform: its time is the time of the last measurement.';

create table status.days (
  area text not null,
  day date not null,
  measured integer not null default 0,
  degraded integer not null default 0,
  down integer not null default 0,
  primary key (area, day)
);

comment on table status.days is 'Minutes per day (UTC). Only the area '''' counts measured minutes.';

create index days_day on status.days (day);

create table status.incidents (
  id uuid primary key,
  areas text[] not null,
  kind text not null check (kind in ('degraded', 'down', 'maintenance', 'notice')),
  title text not null check (length(title) between 1 and 200),
  automatic boolean not null,
  started_at timestamptz not null,
  ended_at timestamptz
);

create unique index incidents_measured on status.incidents ((areas[1])) where automatic and ended_at is null;
create index incidents_started_at on status.incidents (started_at);

create table status.updates (
  id uuid primary key,
  incident_id uuid not null references status.incidents (id) on delete cascade,
  at timestamptz not null,
  text text not null check (length(text) between 1 and 2000)
);

create index updates_incident_id on status.updates (incident_id, at);
