create table live.scheduled_broadcasts (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  channel_id uuid not null references live.channels (id) on delete cascade,
  title text not null,
  description text not null default '',
  poster_url text,
  starts_at timestamptz not null,
  reminder_minutes integer[] not null default '{}',
  reminded_minutes integer[] not null default '{}',
  late_minutes integer not null default 10 check (late_minutes between 1 and 720),
  state text not null default 'scheduled' check (state in ('scheduled', 'started', 'missed')),
  broadcast_id uuid,
  revision integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on column live.scheduled_broadcasts.late_minutes is 'Minutes after starts_at. A broadcast that is not live by then is missed.';
comment on column live.scheduled_broadcasts.reminded_minutes is 'Reminders of this revision that were sent.';
comment on column live.scheduled_broadcasts.revision is 'Number of changes of the times. Jobs of an earlier revision do nothing.';

create index scheduled_broadcasts_channel on live.scheduled_broadcasts (channel_id, id desc);
create index scheduled_broadcasts_state on live.scheduled_broadcasts (channel_id, state, id desc);
create index scheduled_broadcasts_org on live.scheduled_broadcasts (org_id);
create index scheduled_broadcasts_upcoming on live.scheduled_broadcasts (channel_id, starts_at) where state <> 'started';

select account.fence_closed('live.scheduled_broadcasts');
