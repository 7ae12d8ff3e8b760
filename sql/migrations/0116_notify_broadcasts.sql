-- Topics are groups of people. A broadcast notifies many people of one event: those of a topic, all, or a list.
create table notify.topics (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key text not null,
  name text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, key)
);

create index topics_newest on notify.topics (org_id, id);

create table notify.topic_people (
  id uuid primary key,
  topic_id uuid not null references notify.topics (id) on delete cascade,
  org_id uuid not null,
  user_id uuid not null,
  subject text not null,
  created_at timestamptz not null default now(),
  unique (topic_id, user_id)
);

comment on column notify.topic_people.subject is 'The customer''s own ID of the person.';

create index topic_people_order on notify.topic_people (topic_id, id);
create index topic_people_person on notify.topic_people (org_id, user_id, id);

create table notify.broadcasts (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key_id uuid,
  sandbox boolean not null default false,
  audience text not null check (audience in ('recipients', 'topic', 'all')),
  topic_id uuid,
  topic text,
  product_key text not null,
  type text not null,
  title text not null,
  body text,
  data jsonb not null default '{}',
  url text,
  dedupe_key text,
  channels text[],
  status text not null default 'running' check (status in ('running', 'completed', 'cancelled', 'failed')),
  reason text,
  total integer not null,
  told integer not null default 0,
  refused integer not null default 0,
  failed integer not null default 0,
  last_person uuid,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status = 'running') = (ended_at is null))
);

comment on column notify.broadcasts.total is 'Number of people at the start. At the end: number of people with an outcome.';
comment on column notify.broadcasts.last_person is 'Row of the last processed member of the topic, or of the last processed person.';

create index broadcasts_newest on notify.broadcasts (org_id, id);
create index broadcasts_status on notify.broadcasts (org_id, status, id);
create index broadcasts_topic on notify.broadcasts (org_id, topic, id);
create index broadcasts_age on notify.broadcasts (created_at) where ended_at is not null;

create table notify.broadcast_people (
  id uuid primary key,
  broadcast_id uuid not null references notify.broadcasts (id) on delete cascade,
  org_id uuid not null,
  user_id uuid not null,
  subject text not null,
  person_id uuid,
  outcome text not null check (outcome in ('waiting', 'told', 'refused', 'failed')),
  reason text,
  event_id uuid,
  at timestamptz not null default now(),
  unique (broadcast_id, user_id)
);

comment on column notify.broadcast_people.person_id is 'The person''s row in the directory when the broadcast was accepted. Null if the directory had no such person.';

create index broadcast_people_order on notify.broadcast_people (broadcast_id, id);
create index broadcast_people_person on notify.broadcast_people (org_id, user_id);
create index broadcast_people_outcome on notify.broadcast_people (broadcast_id, outcome, id);

select account.fence_closed('notify.topics', 'notify.topic_people', 'notify.broadcasts');
select account.let_moves_pass();
