create table wiki.pictures (
  article_id uuid not null references wiki.articles (id) on delete cascade,
  object_id uuid not null,
  primary key (article_id, object_id)
);

comment on table wiki.pictures is 'Files that published articles show: they are public for as long as one does.';

create index pictures_object on wiki.pictures (object_id);
