-- One row a channel: a publisher that comes again and again overwrites its reason.
create table video.live_refusals (
  channel_id uuid primary key references video.live_channels (id) on delete cascade,
  source text not null check (source in ('primary', 'backup', 'srt')),
  reason text not null check (reason in (
    'key_rotated', 'key_in_use', 'standby', 'closed', 'plan_full', 'elsewhere', 'silent', 'no_key_frame', 'unsupported_codecs',
    'port_taken')),
  refused_at timestamptz not null default clock_timestamp()
);

comment on table video.live_refusals is 'The last publisher of a channel that was refused, dropped or kept waiting, and why.';

create index live_refusals_refused on video.live_refusals (refused_at desc);

alter table video.live_channels add column former_primary_hash text, add column former_backup_hash text;

comment on column video.live_channels.former_primary_hash is
  'Of the key before the last rotation: it opens nothing, but its publisher is told of.';

create index live_channels_former_primary on video.live_channels (former_primary_hash)
  where deleted_at is null and former_primary_hash is not null;
create index live_channels_former_backup on video.live_channels (former_backup_hash)
  where deleted_at is null and former_backup_hash is not null;
