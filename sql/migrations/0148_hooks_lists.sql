-- Lists of one customer of an organisation, and lists of the organisation's own events and endpoints.
create index if not exists endpoints_app on webhooks.endpoints (app_id, id) where app_id is not null;
create index if not exists endpoints_own on webhooks.endpoints (org_id, id) where app_id is null;
create index if not exists events_app on webhooks.events (app_id, id) where app_id is not null;
create index if not exists events_app_type on webhooks.events (app_id, type, id) where app_id is not null;
create index if not exists events_own on webhooks.events (org_id, id) where app_id is null;
create index if not exists events_own_type on webhooks.events (org_id, type, id) where app_id is null;
create index if not exists events_labels on webhooks.events using gin (tags, channels)
  where app_id is not null and (tags is not null or channels is not null);
create index if not exists events_payload_until on webhooks.events (payload_until) where payload_until is not null;
