create table wiki.article_places (
  article_id uuid primary key references wiki.articles (id) on delete cascade,
  org_id uuid not null references account.orgs (id) on delete cascade,
  parent_id uuid references wiki.articles (id) on delete set null,
  position integer not null default 0,
  check (parent_id <> article_id)
);

comment on table wiki.article_places is 'Where articles stand in their organisation’s tree; one without a row, or without a parent, stands at the top.';

create index article_places_parent on wiki.article_places (parent_id);
create index article_places_org on wiki.article_places (org_id);

create table wiki.settings (
  org_id uuid primary key references account.orgs (id) on delete cascade,
  review text not null default 'none' check (review in ('none', 'required')),
  updated_at timestamptz not null default now()
);

create table wiki.reviews (
  id uuid primary key,
  article_id uuid not null references wiki.articles (id) on delete cascade,
  version integer not null,
  key_id uuid not null,
  reviewer text,
  decision text not null check (decision in ('approved', 'rejected')),
  comment text,
  created_at timestamptz not null default now(),
  foreign key (article_id, version) references wiki.article_versions (article_id, number) on delete cascade
);

comment on table wiki.reviews is 'What others than its author think of a version; of each reviewer’s key the last word counts.';

create index reviews_article on wiki.reviews (article_id, version, id);
