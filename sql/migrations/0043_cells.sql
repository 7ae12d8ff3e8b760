-- Organisations that have moved to another cell. These rows stay when all others of the organisation are gone: by them its requests are passed on.
create table account.moved (
  org_id uuid primary key,
  cell text not null check (cell ~ '^[a-z][a-z0-9]{0,15}$'),
  moved_at timestamptz not null default now()
);

comment on table account.moved is 'Which cell an organisation lives in that lived in this one.';

create table account.moved_references (
  kind text not null check (kind in ('key', 'host', 'id', 'token')),
  value text not null check (value <> ''),
  org_id uuid not null references account.moved (org_id) on delete cascade,
  primary key (kind, value)
);

comment on table account.moved_references is 'What requests of an organisation that has moved are known by.';
comment on column account.moved_references.value is 'Of a key and of a token the hash that account.key_secrets has of keys; a host name; an id in small letters.';

create index moved_references_org on account.moved_references (org_id);
