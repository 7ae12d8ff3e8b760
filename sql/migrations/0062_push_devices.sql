alter table push.credentials add column proven_at timestamptz;

comment on column push.credentials.proven_at is 'When the provider first took a push with it: tokens that do not fit it are the devices'' own from then on.';

-- What has been taken with a credential since it was set has proven it.
update push.credentials as c set proven_at = now()
where exists (
  select from push.daily as d
  where d.app_id = c.app_id and d.provider = c.provider and d.status = 'sent'
    and d.day >= greatest(c.created_at::date, current_date - 30));

alter table push.installations
  add column device_id text,
  add column used_at timestamptz not null default now();

comment on column push.installations.device_id is 'The customer''s own id of the device (sse): registering with it again is the same installation.';
comment on column push.installations.used_at is 'When it registered or opened its stream last, to the hour (sse).';

create unique index installations_device on push.installations (app_id, device_id) where device_id is not null;
create index installations_unused on push.installations (used_at) where provider = 'sse';
create index installations_invalidated on push.installations (invalidated_at) where status = 'invalidated';
