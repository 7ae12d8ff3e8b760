-- People: who signs in, by what, for which organisation, in which browser.
create table account.users (
  id uuid primary key,
  email text not null unique check (email = lower(email)),
  email_verified_at timestamptz,
  name text not null default '',
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- Browsers and networks from which a person has signed in, as hashes, the newest first. They have an allowance of sign-in mails of
  -- their own, which strangers cannot use up.
  known_places text[] not null default '{}'
);

comment on column account.users.known_places is 'SHA-256 of what the browser keeps, and of the network; the newest first, up to 20.';

create table account.platform (
  one boolean primary key default true check (one),
  org_id uuid references account.orgs (id) on delete restrict,
  rp_id text
);

comment on table account.platform is 'What this installation is itself: one row.';
comment on column account.platform.org_id is 'The organisation by which its own mail leaves, so that no customer''s cap or suppression holds it back.';
comment on column account.platform.rp_id is 'The host name that passkeys are made for: fixed when it is first needed, as every passkey dies with it.';

create table account.passkeys (
  id uuid primary key,
  user_id uuid not null references account.users (id) on delete cascade,
  credential_id text not null unique,
  public_key text not null,
  counter bigint not null default 0,
  transports text[] not null default '{}',
  backed_up boolean not null default false,
  rp_id text not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);

comment on column account.passkeys.public_key is 'COSE key (RFC 9052 §7), base64url.';

create index passkeys_user on account.passkeys (user_id);

create table account.members (
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id uuid not null references account.users (id) on delete cascade,
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  invited_by uuid references account.users (id) on delete set null,
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);

create index members_user on account.members (user_id);
create index members_invited_by on account.members (invited_by);

create table account.invitations (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  email text not null check (email = lower(email)),
  role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
  hash text not null unique,
  invited_by uuid references account.users (id) on delete set null,
  created_at timestamptz not null default now(),
  sent_at timestamptz,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  made_by_key uuid
);

comment on column account.invitations.hash is 'SHA-256 of the link’s token in hex; another one with each sending.';
comment on column account.invitations.made_by_key is 'The key that made it, with which it ends; null for one that a member made or an owner has confirmed.';

create unique index invitations_open on account.invitations (org_id, email) where accepted_at is null and revoked_at is null;
create index invitations_invited_by on account.invitations (invited_by);
create index invitations_expires_at on account.invitations (expires_at);
create index invitations_made_by_key on account.invitations (made_by_key) where made_by_key is not null;

create table account.connections (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  issuer text not null,
  client_id text not null,
  client_secret text not null,
  domains text[] not null default '{}',
  required boolean not null default false,
  default_role text not null default 'viewer' check (default_role in ('admin', 'developer', 'viewer')),
  created_at timestamptz not null default now(),
  takes_unmarked_email boolean not null default false,
  unique (org_id, issuer, client_id)
);

comment on table account.connections is 'Identity providers (OpenID Connect) of organisations.';
comment on column account.connections.client_secret is 'Sealed; the id is its associated data.';
comment on column account.connections.domains is 'Whose mail addresses it signs in; each counts while the organisation has it proven by DNS.';
comment on column account.connections.takes_unmarked_email is
  'An address of a proven domain counts as verified if the provider does not return the claim email_verified.';

create index connections_domains on account.connections using gin (domains);

create table account.identities (
  connection_id uuid not null references account.connections (id) on delete cascade,
  issuer text not null,
  subject text not null,
  user_id uuid not null references account.users (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (connection_id, subject)
);

comment on table account.identities is 'Whom an identity provider stands for. A subject is one of its connection: an organisation vouches for itself alone.';

create index identities_user on account.identities (user_id);

create table account.ceremonies (
  id uuid primary key,
  kind text not null check (kind in ('mail', 'sign_in', 'register', 'step_up', 'oidc', 'oidc_step_up')),
  browser_hash text not null,
  user_id uuid references account.users (id) on delete cascade,
  session_id uuid,
  email text,
  challenge text,
  code_hash text,
  link_hash text unique,
  details jsonb not null default '{}',
  tries integer not null default 0,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);

comment on table account.ceremonies is 'Sign-ins and confirmations that have begun: each good once, in the browser that asked, for minutes.';
comment on column account.ceremonies.browser_hash is 'SHA-256 of the cookie of the browser that asked.';
comment on column account.ceremonies.details is 'What an identity provider’s answer is checked against.';

create index ceremonies_expires_at on account.ceremonies (expires_at);
create index ceremonies_email on account.ceremonies (email, created_at) where email is not null;
create index ceremonies_user on account.ceremonies (user_id);

create table account.browser_sessions (
  id uuid primary key,
  hash text not null unique,
  user_id uuid not null,
  org_id uuid not null,
  method text not null check (method in ('invitation', 'mail', 'passkey', 'oidc')),
  created_at timestamptz not null default now(),
  authenticated_at timestamptz not null,
  stepped_up_at timestamptz,
  seen_at timestamptz not null default now(),
  idle_until timestamptz not null,
  expires_at timestamptz not null,
  network text not null,
  agent text not null default '',
  told text,
  foreign key (org_id, user_id) references account.members (org_id, user_id) on delete cascade
);

comment on table account.browser_sessions is 'Browsers in which somebody is signed in for an organisation; each ends with the membership.';
comment on column account.browser_sessions.hash is 'SHA-256 of the cookie in hex; the cookie itself is not kept.';
comment on column account.browser_sessions.told is 'What the next page tells of the action before it, once.';

create index browser_sessions_member on account.browser_sessions (org_id, user_id);
create index browser_sessions_user on account.browser_sessions (user_id);
create index browser_sessions_expires_at on account.browser_sessions (expires_at);

create table account.support_grants (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  granted_by uuid references account.users (id) on delete set null,
  reason text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null check (expires_at <= created_at + interval '72 hours'),
  ended_at timestamptz
);

comment on table account.support_grants is 'Leave that an owner gives operators to read metadata of the organisation; there is no other way in.';

create index support_grants_org on account.support_grants (org_id, expires_at);
create index support_grants_granted_by on account.support_grants (granted_by);
create index support_grants_expires_at on account.support_grants (expires_at);
