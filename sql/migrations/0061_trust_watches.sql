create table trust.watches (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  url text not null,
  note text,
  verdict text not null check (verdict in ('unknown', 'suspicious', 'malicious')),
  categories text[] not null default '{}',
  changed_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);

comment on table trust.watches is 'URLs that an organisation has watched: it is told when what is known of one changes.';

create index watches_newest on trust.watches (org_id, id);
-- A URL is longer than an entry of an index may be.
create unique index watches_url on trust.watches (org_id, md5(url));
