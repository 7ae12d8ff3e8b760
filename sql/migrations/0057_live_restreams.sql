-- Where a channel's broadcasts are sent on to, while they last.
create table live.restreams (
  id uuid constraint live_restreams_pkey primary key,
  org_id uuid not null constraint live_restreams_org_id_fkey references account.orgs (id) on delete cascade,
  channel_id uuid not null constraint live_restreams_channel_id_fkey references live.channels (id) on delete cascade,
  name text not null,
  url text not null,
  stream_key text not null,
  enabled boolean not null default true,
  state text constraint live_restreams_state_check check (state in ('connecting', 'live', 'failed')),
  reason text constraint live_restreams_reason_check check (reason in (
    'address_refused', 'unresolved', 'connection_failed', 'tls_failed', 'timed_out', 'refused', 'ended', 'too_slow', 'protocol',
    'key_unreadable', 'publisher_away')),
  told_at timestamptz,
  created_at timestamptz not null default now()
);

comment on column live.restreams.stream_key is 'Sealed: whoever publishes needs the text itself.';
comment on column live.restreams.state is 'As the worker that has the channel told last; of a broadcast that began after told_at it says nothing.';

create index live_restreams_channel on live.restreams (channel_id, id desc);
create index live_restreams_org on live.restreams (org_id);
