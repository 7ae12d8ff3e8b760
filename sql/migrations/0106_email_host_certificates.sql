-- Certificates that this installation orders for its own host names.
create table email.host_certificates (
  hostname text primary key,
  due_at timestamptz not null default now(),
  leased_until timestamptz,
  failures integer not null default 0,
  reason text,
  order_url text,
  order_key text,
  chain text,
  key text,
  not_after timestamptz
);

comment on table email.host_certificates is 'The certificate of the host name at which clients submit email. Private keys are encrypted.';
comment on column email.host_certificates.due_at is 'Time of the next order, or of the next attempt.';
comment on column email.host_certificates.reason is 'Why the last attempt failed. Null after a success.';

-- The ingress responds with them at /.well-known/acme-challenge/{token} (RFC 8555 §8.3).
create table email.host_challenges (
  token text primary key,
  hostname text not null references email.host_certificates (hostname) on delete cascade,
  answer text not null
);

create index host_challenges_hostname on email.host_challenges (hostname);
