alter table account.keys add column expiry_told_at timestamptz;

comment on column account.keys.expiry_told_at is 'When webhooks were told that the key ends soon; empty again when its end is moved.';

create index keys_expires_at on account.keys (expires_at) where revoked_at is null and expiry_told_at is null;

create function account.forget_expiry_told() returns trigger language plpgsql as $$
begin
  new.expiry_told_at := null;
  return new;
end
$$;

create trigger forget_expiry_told before update of expires_at on account.keys
  for each row when (old.expires_at is distinct from new.expires_at) execute function account.forget_expiry_told();
