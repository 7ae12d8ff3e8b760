-- What a key has made ends with it, unless an owner confirms it.
alter table account.keys add column made_by_key uuid;
alter table account.invitations add column made_by_key uuid;

comment on column account.keys.made_by_key is 'The key that made it, with which it ends; null for one that a member made or an owner has confirmed.';
comment on column account.invitations.made_by_key is 'The key that made it, with which it ends; null for one that a member made or an owner has confirmed.';

create index if not exists keys_made_by_key on account.keys (made_by_key) where made_by_key is not null;
create index if not exists invitations_made_by_key on account.invitations (made_by_key) where made_by_key is not null;

-- Processes that remember a key forget it when it ends or may do less.
create function account.tell_key_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('account_keys_changed', coalesce(to_jsonb(new)->>'key_id', to_jsonb(new)->>'id'));
  return null;
end
$$;

create trigger tell_key_changed after update of revoked_at, expires_at, networks, rate_per_minute, locks, scopes, made_by_key on account.keys
for each row when (old.* is distinct from new.* and coalesce(current_setting('millrace.move', true), '') <> 'on') execute function account.tell_key_changed();

create trigger tell_key_changed after update of revoked_at, expires_at on account.key_secrets
for each row when (old.* is distinct from new.* and coalesce(current_setting('millrace.move', true), '') <> 'on') execute function account.tell_key_changed();
