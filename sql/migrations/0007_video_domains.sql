-- Host names that organisations have their videos played on. Anybody may claim a name; who proves it has it.
create table video.domains (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  hostname text not null check (hostname = lower(hostname)),
  token text not null,
  verified_at timestamptz,
  created_at timestamptz not null default now(),
  unique (org_id, hostname)
);

comment on column video.domains.token is 'What the TXT record must hold; no secret, as everybody can look it up.';

create index domains_org on video.domains (org_id, id desc);
create unique index domains_owned on video.domains (hostname) where verified_at is not null;

-- One row for each domain that was proven: what is served, and how far an order for the next one is.
create table video.certificates (
  domain_id uuid primary key references video.domains (id) on delete cascade,
  state text not null default 'ordering' check (state in ('off', 'ordering', 'issued', 'failed')),
  reason text,
  failures integer not null default 0,
  due_at timestamptz not null default now(),
  ask_after timestamptz not null default now(),
  asked_at timestamptz,
  order_url text,
  order_key text,
  run_id uuid,
  leased_until timestamptz,
  version uuid,
  chain text,
  key text,
  not_after timestamptz
);

comment on column video.certificates.due_at is 'When something is to be done next: a first order, a retry, a renewal.';
comment on column video.certificates.ask_after is 'The authority is not asked before, whoever wishes it.';
comment on column video.certificates.order_key is 'Sealed; the private key of the order, kept before the authority is asked to sign.';
comment on column video.certificates.run_id is 'The run that is at it until leased_until: one order at a time.';
comment on column video.certificates.key is 'Sealed.';

create index certificates_due on video.certificates (due_at);
create index certificates_asked on video.certificates (asked_at);

create table video.acme_accounts (
  directory_url text primary key,
  key text not null,
  url text,
  contact text
);

comment on column video.acme_accounts.key is 'Sealed.';

-- What any ingress answers at /.well-known/acme-challenge/{token} (RFC 8555 §8.3).
create table video.acme_challenges (
  token text primary key,
  domain_id uuid not null references video.domains (id) on delete cascade,
  answer text not null
);

create index acme_challenges_domain on video.acme_challenges (domain_id);
