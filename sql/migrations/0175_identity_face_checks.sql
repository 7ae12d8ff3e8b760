create table identity.face_checks (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  subject text not null,
  requirement text not null,
  challenge_required boolean not null default true,
  threshold double precision not null default 0.5 check (threshold between 0.3 and 0.7),
  consented_at timestamptz,
  object_id uuid,
  poses jsonb,
  challenge_id uuid,
  challenge_expires_at timestamptz,
  challenge_used_at timestamptz,
  challenges integer not null default 0,
  tries integer not null default 0,
  busy_until timestamptz,
  attempts integer not null default 0,
  decision text check (decision in ('match', 'no_match', 'inconclusive')),
  distance double precision,
  challenge_result text check (challenge_result in ('passed', 'failed', 'inconclusive', 'not_performed')),
  reasons jsonb,
  model text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  check ((decision is null) = (distance is null)),
  check ((decision is null) = (challenge_result is null)),
  check (completed_at is null or decision is not null)
);

comment on table identity.face_checks is 'Comparisons of a selfie with the photo on a document. The ID is that of the prompt.';
comment on column identity.face_checks.object_id is 'Image of the document in the files area. Null before it was accepted.';
comment on column identity.face_checks.poses is 'Turns of the head that the current challenge asks for, in order.';
comment on column identity.face_checks.challenges is 'Number of challenges issued.';
comment on column identity.face_checks.tries is 'Number of selfies sent, also of those without a face.';
comment on column identity.face_checks.busy_until is 'End of the lease of the comparison in progress.';
comment on column identity.face_checks.attempts is 'Number of comparisons with a result.';

create index face_checks_list on identity.face_checks (org_id, id);
create index face_checks_subject on identity.face_checks (org_id, subject, id);
create index face_checks_decision on identity.face_checks (org_id, decision, id) where decision is not null;
create index face_checks_object on identity.face_checks (object_id) where object_id is not null;
create index face_checks_created_at on identity.face_checks (created_at);

select account.fence_closed('identity.face_checks');
select account.let_moves_pass();
