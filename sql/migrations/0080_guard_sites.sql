create schema guard;

comment on schema guard is 'Proof-of-work challenges to visitors of sites, and the single-use tokens they earn.';

create table guard.sites (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  site_key text not null,
  origins text[] not null,
  policy jsonb not null,
  created_at timestamptz not null default now()
);

comment on column guard.sites.site_key is 'A public key: pages carry it, so it is shown whole, unlike any other key.';
comment on column guard.sites.origins is 'Origins of the pages that may use the key; clients that are no page send none.';

create index sites_org on guard.sites (org_id, id);

create table guard.stock (
  id bigint generated always as identity primary key,
  nonce text not null,
  checks text not null,
  ks text not null,
  answer_hash text not null,
  minted_at timestamptz not null default now()
);

comment on table guard.stock is 'Known-answer scrypt puzzles that nobody has been given yet; issuing takes the oldest.';
comment on column guard.stock.checks is 'The first four bytes of each of the eight outputs; bytes of this schema are base64url.';
comment on column guard.stock.ks is 'The eight numbers to be found, four bytes each; the difficulty is chosen at issue, by the range around them.';
comment on column guard.stock.answer_hash is 'SHA-256 of the answer.';

create index stock_minted on guard.stock (minted_at);

create table guard.challenges (
  id uuid primary key,
  org_id uuid not null,
  site_id uuid not null,
  action text not null,
  alg text not null check (alg in ('scrypt', 'sha256')),
  tier text not null check (tier in ('low', 'normal', 'high', 'extreme')),
  nonce text not null,
  answer_hash text,
  bits smallint,
  network text not null,
  origin text,
  assessment_id uuid,
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  attempted_at timestamptz,
  outcome text check (outcome in ('solved', 'failed')),
  check ((attempted_at is null) = (outcome is null)),
  check (case alg when 'scrypt' then answer_hash is not null else bits is not null end)
);

comment on table guard.challenges is 'Challenges as they were issued. No foreign key: an insert would lock the row of a busy site.';
comment on column guard.challenges.network is 'Keyed hash of the client''s address (IPv6: its /64): who solves must be who asked.';
comment on column guard.challenges.attempted_at is 'The one attempt; a wrong answer spends it, too.';

create index challenges_site on guard.challenges (site_id, id);

create table guard.tokens (
  hash text primary key,
  org_id uuid not null,
  site_id uuid not null,
  challenge_id uuid,
  action text not null,
  tier text not null check (tier in ('noscript', 'low', 'normal', 'high', 'extreme')),
  hostname text,
  solve_ms integer not null,
  issued_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  replays integer not null default 0
);

comment on column guard.tokens.hash is 'SHA-256 of the token in hex; the token itself is stored nowhere.';
comment on column guard.tokens.replays is 'How often it was given again after it was spent.';

create index tokens_site on guard.tokens (site_id, issued_at);
create index tokens_issued on guard.tokens (issued_at);

create table guard.tickets (
  id uuid primary key,
  spent_at timestamptz not null default now(),
  site_id uuid,
  network text
);

comment on table guard.tickets is 'Tickets of the page without script that have been turned into their one token.';
comment on column guard.tickets.network is 'Keyed hash of the client''s address (IPv6: its /64), as in guard.challenges.';

create index tickets_spent on guard.tickets (spent_at);
create index tickets_network on guard.tickets (site_id, network, spent_at);

create table guard.hourly (
  site_id uuid not null references guard.sites (id) on delete cascade,
  hour timestamptz not null,
  tier text not null,
  outcome text not null check (outcome in ('issued', 'solved', 'failed', 'verified', 'replayed')),
  bucket smallint not null default 0,
  count bigint not null default 0,
  primary key (site_id, hour, tier, outcome, bucket)
);

comment on table guard.hourly is 'What is forgotten of challenges and tokens, counted by the hour (UTC) in which they were issued.';
comment on column guard.hourly.bucket is 'Of solved ones: the solve time, as floor(log2(milliseconds)).';

create function guard.bucket(elapsed interval) returns smallint
language sql immutable
return floor(log(2.0, greatest(1, extract(epoch from elapsed) * 1000)))::smallint;

comment on function guard.bucket is 'The bucket of a solve time in the histograms.';

create table guard.visitors (
  site_id uuid not null,
  kind text not null check (kind in ('address', 'subnet', 'site')),
  subject text not null,
  requests double precision not null default 0,
  failures double precision not null default 0,
  usual double precision not null default 0,
  noted_at timestamptz not null default now(),
  primary key (site_id, kind, subject)
);

comment on table guard.visitors is 'How much each network asks of a site, as counts that decay from noted_at on.';
comment on column guard.visitors.subject is 'Hash of the site with the address (IPv6: its /64) or the subnet (/24, IPv6: /48); empty for the site itself.';
comment on column guard.visitors.requests is 'Mean life 60 s: at a steady rate, the requests of a minute.';
comment on column guard.visitors.failures is 'Wrong answers; mean life 600 s.';
comment on column guard.visitors.usual is 'Requests; mean life an hour: what the site is used to.';

create index visitors_noted on guard.visitors (noted_at);

create function guard.decayed(value double precision, seconds double precision, mean_life double precision)
returns double precision language sql immutable parallel safe
return case
  when value < 0.001 or seconds > 20 * mean_life then 0
  else value * exp(-greatest(seconds, 0) / mean_life)
end;

comment on function guard.decayed is 'What is left of a count after some seconds. Small remains are nothing: Postgres throws at an underflow.';

create table guard.assessments (
  id uuid primary key,
  org_id uuid not null,
  site_id uuid not null,
  action text not null,
  subject text not null,
  signals jsonb not null,
  decision text not null check (decision in ('allow', 'challenge', 'deny')),
  tier text check (tier in ('low', 'normal', 'high', 'extreme')),
  score smallint not null,
  reasons jsonb not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);

comment on table guard.assessments is 'Judgements of attempts with their reasons, for the challenge that follows and for who asks why.';

create index assessments_site on guard.assessments (site_id, created_at);
create index assessments_expires on guard.assessments (expires_at);
