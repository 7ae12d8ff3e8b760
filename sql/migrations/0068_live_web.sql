-- Who publishes to a channel by WHIP now: one for each of its keys, on one worker of pool rooms.
create table live.web_publishers (
  id uuid constraint live_web_publishers_pkey primary key,
  channel_id uuid not null constraint live_web_publishers_channel_id_fkey references live.channels (id) on delete cascade,
  source text not null constraint live_web_publishers_source_check check (source in ('primary', 'backup')),
  worker_id uuid not null,
  ice_ufrag text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint live_web_publishers_key unique (channel_id, source)
);

comment on table live.web_publishers is 'Who publishes by WHIP, as long as the worker''s lease holds.';
comment on column live.web_publishers.worker_id is 'Of jobs.workers; the worker of pool rooms whose media server they are connected to.';
comment on column live.web_publishers.ice_ufrag is 'Of the offer: candidates under another one ask for a restart of ICE, which is refused.';

create index live_web_publishers_worker on live.web_publishers (worker_id);
