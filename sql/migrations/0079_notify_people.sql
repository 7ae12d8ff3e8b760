-- People by whatever id their product has for them, workflows, their texts, and what each run of one has done.
create table notify.people (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  user_id uuid not null,
  subject text not null,
  name text,
  email text,
  phone text,
  push_app_id uuid,
  push_user_id text,
  locale text,
  time_zone text,
  data jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, user_id)
);

comment on table notify.people is 'Where people are reached, so that an event need not say it.';
comment on column notify.people.user_id is 'What the other tables know the person by: the customer''s id where it is a UUID, else one that is made of it.';
comment on column notify.people.subject is 'The customer''s own id of the person, whatever its form.';
comment on column notify.people.push_user_id is 'The person''s id in the app of the push area; null: the subject.';

create index people_newest on notify.people (org_id, id);
create index people_email on notify.people (org_id, email, id);

create table notify.workflows (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  key text not null,
  name text not null,
  product_key text not null,
  type text not null,
  fallback_locale text not null,
  steps jsonb not null,
  version integer not null default 0,
  published_version integer,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, key)
);

comment on table notify.workflows is 'Ways to tell people step by step, as they are being written; what runs is a version.';
comment on column notify.workflows.version is 'The last version that was published; 0: none was.';
comment on column notify.workflows.published_version is 'The version that events start; null: none.';

create index workflows_newest on notify.workflows (org_id, id);

create table notify.workflow_versions (
  workflow_id uuid not null references notify.workflows (id) on delete cascade,
  version integer not null,
  org_id uuid not null,
  key text not null,
  product_key text not null,
  type text not null,
  fallback_locale text not null,
  steps jsonb not null,
  is_current boolean not null default true,
  created_at timestamptz not null default now(),
  primary key (workflow_id, version)
);

comment on table notify.workflow_versions is 'Published workflows, which never change.';
comment on column notify.workflow_versions.is_current is 'Events of its product and type start it.';

create unique index workflow_versions_trigger on notify.workflow_versions (org_id, product_key, type) where is_current;

create table notify.editions (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  number bigint not null
);

comment on table notify.editions is 'How often the texts of an organisation have changed. A run keeps the number that it began with: it has the texts of then. The row is locked by each change, so that no number is seen before a smaller one.';

create table notify.texts (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  type text not null,
  locale text not null,
  version integer not null,
  edition bigint not null,
  title text not null,
  body text,
  is_removed boolean not null default false,
  is_current boolean not null default true,
  created_at timestamptz not null default now(),
  unique (org_id, type, locale, version)
);

comment on table notify.texts is 'What is said for a type of events in a language: each version, of which none changes.';
comment on column notify.texts.edition is 'The change of the organisation''s texts that it came with.';
comment on column notify.texts.is_removed is 'From this version on there is no text.';

create unique index texts_current on notify.texts (org_id, type, locale) where is_current;
create index texts_newest on notify.texts (org_id, id) where is_current and not is_removed;
create index texts_type on notify.texts (org_id, type, id) where is_current and not is_removed;
create index texts_edition on notify.texts (org_id, type, locale, edition);

create table notify.runs (
  id uuid primary key,
  org_id uuid not null references account.orgs (id) on delete cascade,
  workflow_id uuid not null,
  workflow text not null,
  version integer not null,
  event_id uuid not null references notify.events (id) on delete cascade,
  user_id uuid not null,
  key_id uuid,
  person_id uuid,
  recipient jsonb not null default '{}',
  edition bigint not null,
  digest_key text,
  gathering boolean not null default false,
  state text not null default 'waiting' check (state in ('waiting', 'completed', 'stopped', 'cancelled', 'failed')),
  reason text,
  step integer not null default 0,
  begun boolean not null default false,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((state = 'waiting') = (ended_at is null))
);

comment on table notify.runs is 'One way of a person through a version of a workflow. Its row is locked by whoever takes its steps.';
comment on column notify.runs.person_id is 'The person''s row in the directory when it began: whoever is removed gets nothing more.';
comment on column notify.runs.recipient is 'What the event said of where to, and the locks of its key.';
comment on column notify.runs.edition is 'The texts that it has: those of that number of changes.';
comment on column notify.runs.gathering is 'Further events join it.';
comment on column notify.runs.step is 'The step that is next, from 0; a wait is one while it lasts.';
comment on column notify.runs.begun is 'The next step is a wait that has begun.';

create unique index runs_gathering on notify.runs (workflow_id, user_id, digest_key) where gathering;
create index runs_event on notify.runs (event_id);
create index runs_newest on notify.runs (org_id, id);
create index runs_workflow on notify.runs (org_id, workflow, id);
create index runs_person on notify.runs (org_id, user_id, id);
create index runs_state on notify.runs (org_id, state, id);

create table notify.run_steps (
  run_id uuid not null references notify.runs (id) on delete cascade,
  number integer not null,
  org_id uuid not null,
  type text not null check (type in ('channel', 'wait', 'digest')),
  channel text check (channel in ('in_app', 'email', 'push', 'whatsapp')),
  state text not null check (state in ('waiting', 'done', 'skipped', 'refused', 'failed')),
  reason text,
  detail text,
  message_id uuid,
  text_locale text,
  text_version integer,
  due_at timestamptz,
  at timestamptz not null default now(),
  primary key (run_id, number)
);

comment on table notify.run_steps is 'What became of each step: written in the transaction in which its message is made.';
