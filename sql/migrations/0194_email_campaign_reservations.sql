-- Messages that are counted as usage before they are created, so that a page of a campaign does not lock the usage.
alter table email.campaigns
  add column reserved integer not null default 0 check (reserved >= 0),
  add column reserved_at timestamptz;
