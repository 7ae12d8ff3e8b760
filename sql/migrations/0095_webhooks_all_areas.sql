-- The endpoints of video and files become endpoints for all areas that subscribe to the events of their area. They keep
-- their ID, secret, status and deliveries. A process of an earlier release cannot add another one of these areas.
alter table webhooks.endpoints
  add constraint endpoints_area_check check (area in ('email', 'push')) not valid;

update webhooks.endpoints
set events = case when '*' = any(events) then array[case area when 'stream' then 'video.*' else 'files.*' end] else events end,
  area = null
where area in ('stream', 'files');

alter table webhooks.endpoints validate constraint endpoints_area_check;

comment on column webhooks.endpoints.area is 'The area whose events it receives: email or push; null for all.';
