-- Buckets of customers, whose objects are scanned where they are.
create table files.buckets (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  name text not null,
  endpoint text not null,
  region text not null,
  bucket text not null,
  addressing text not null check (addressing in ('path', 'virtual')),
  access_key_id text not null,
  secret_key text not null,
  writes_tags boolean not null default true,
  state text not null default 'unverified' check (state in ('unverified', 'active', 'failing')),
  reason text,
  created_at timestamptz not null default now(),
  verified_at timestamptz
);

comment on column files.buckets.secret_key is 'Sealed.';
comment on column files.buckets.addressing is 'path: the bucket is the first part of the path. virtual: it is the first part of the host name.';
comment on column files.buckets.reason is 'Reason why the last request for the bucket failed.';

create index buckets_list on files.buckets (org_id, id);

create table files.bucket_scans (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  bucket_id uuid not null references files.buckets (id) on delete cascade,
  key text not null,
  version_id text,
  status text not null default 'pending' check (status in
    ('pending', 'scanning', 'clean', 'infected', 'suspicious', 'unscannable', 'error')),
  error jsonb,
  etag text,
  scanned_version text,
  content_type text,
  byte_size bigint,
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  detected_type text,
  engine text,
  signature_version text,
  heuristics_version text,
  reasons jsonb not null default '[]',
  tag text not null check (tag in ('off', 'waiting', 'written', 'changed', 'failed')),
  tag_error text,
  created_at timestamptz not null default now(),
  finished_at timestamptz,
  constraint bucket_scans_verdict_is_founded check (
    status in ('pending', 'scanning', 'error')
    or (etag is not null and finished_at is not null
      and (status = 'unscannable' or (sha256 is not null and engine is not null and signature_version is not null))))
);

comment on column files.bucket_scans.version_id is 'The version that the customer asked for. Null: the current one.';
comment on column files.bucket_scans.scanned_version is 'The version that the bucket sent. Null: the bucket has no versions.';
comment on column files.bucket_scans.tag is
  'off: no tag is written. changed: the object was replaced after its bytes were read, so it has no tag of this scan.';

create index bucket_scans_list on files.bucket_scans (org_id, id desc);
create index bucket_scans_bucket on files.bucket_scans (bucket_id, id desc);
create index bucket_scans_hash on files.bucket_scans (org_id, sha256, id desc) where sha256 is not null;
create index bucket_scans_finished on files.bucket_scans (finished_at) where finished_at is not null;

select account.fence_closed('files.buckets', 'files.bucket_scans');
select account.let_moves_pass();
