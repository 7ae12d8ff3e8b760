-- What a browser tells of a notification that was put away unread.
alter table push.deliveries add column dismissed_at timestamptz;

comment on column push.deliveries.dismissed_at is 'When the person put the notification away without opening it.';

create index if not exists keys_of_app on account.keys (org_id, (locks ->> 'app_id'), id)
  where prefix = 'bt_site_' and revoked_at is null;
