alter table account.keys
  add column mode text not null default 'live' check (mode in ('live', 'test')),
  add column created_by text,
  add column expires_at timestamptz,
  add column rate_per_minute integer check (rate_per_minute > 0),
  add column networks cidr[],
  add column note text;

comment on column account.keys.hash is 'The hash of one of its secrets, for processes that do not know account.key_secrets.';
comment on column account.keys.mode is 'What a test key sends is recorded and not delivered.';
comment on column account.keys.created_by is 'Who made it: the kind of actor and its id.';
comment on column account.keys.rate_per_minute is 'Requests it may make within a minute, beside its plan''s limit.';
comment on column account.keys.networks is 'Where requests with it must come from; null is anywhere.';

create table account.key_secrets (
  id uuid primary key,
  key_id uuid not null references account.keys (id) on delete cascade,
  hash text not null unique,
  start text not null,
  keep_hours integer check (keep_hours between 0 and 168),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  first_used_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);

comment on table account.key_secrets is 'What authenticates as a key: while it is rotated, more than one.';
comment on column account.key_secrets.hash is 'SHA-256 of the secret in hex; the secret itself is shown once and not kept.';
comment on column account.key_secrets.start is 'How the secret begins, to tell it from others: its prefix, and four characters where they are known.';
comment on column account.key_secrets.keep_hours is 'How long the secrets before it are good after its first use; null when that does not end them.';

create index key_secrets_key on account.key_secrets (key_id);

-- A process of the release before inserts keys without a secret.
create function account.copy_secret() returns trigger language plpgsql as $$
begin
  if new.prefix = 'snd_test_' and new.mode <> 'test' then
    update account.keys set mode = 'test' where id = new.id;
  end if;
  insert into account.key_secrets (id, key_id, hash, start, created_at, first_used_at, last_used_at)
  values (new.id, new.id, new.hash, new.prefix, new.created_at, new.last_used_at, new.last_used_at)
  on conflict (hash) do nothing;
  return null;
end
$$;

create trigger copy_secret after insert on account.keys for each row execute function account.copy_secret();

update account.keys set mode = 'test' where prefix = 'snd_test_';

insert into account.key_secrets (id, key_id, hash, start, created_at, first_used_at, last_used_at)
select id, id, hash, prefix, created_at, last_used_at, last_used_at from account.keys;
