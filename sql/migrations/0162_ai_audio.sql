-- Audio files for transcriptions, from their upload until their answer.
create unlogged table ai.audio (
  id uuid not null,
  n integer not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  data bytea not null,
  created_at timestamptz not null default now(),
  primary key (id, n)
);

comment on table ai.audio is 'Parts of audio files, deleted after their transcription. Expendable.';

create index audio_org on ai.audio (org_id);
create index audio_created_at on ai.audio (created_at);

select account.fence_closed('ai.audio');
