-- Lists of jobs, event types and buckets with a filter whose value only a few old rows have.
create index if not exists jobs_origin_kind on work.jobs (org_id, origin_kind, id) where origin_kind is not null;
create index if not exists jobs_dedupe_key on work.jobs (org_id, dedupe_key, id) where dedupe_key is not null;
create index if not exists event_types_group on hooks.event_types (org_id, feature_group, id) where feature_group is not null;
create index if not exists event_types_archived on hooks.event_types (org_id, id) where archived_at is not null;
create index if not exists buckets_state on files.buckets (org_id, state, id);
