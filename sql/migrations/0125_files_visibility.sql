-- Who can load an object by its stable URL.
alter table files.objects add column visibility text not null default 'private'
  constraint objects_visibility check (visibility in ('private', 'signed', 'public'));
alter table files.objects add column url_generation integer not null default 0;

comment on column files.objects.visibility is 'The same in all versions of an object.';
comment on column files.objects.url_generation is 'Of the first version alone: signed URLs of an earlier generation are revoked.';

create index if not exists objects_first_visibility on files.objects (org_id, visibility, id desc)
  where deleted_at is null and version_of is null;

-- Deliveries of a day (UTC), for the usage of organisations.
create table files.delivery_days (
  object_id uuid not null,
  day date not null,
  org_id uuid not null references account.orgs (id) on delete cascade,
  requests bigint not null,
  bytes bigint not null,
  primary key (object_id, day)
);

comment on table files.delivery_days is 'No reference to the object, because bytes are counted after its deletion too.';

create index delivery_days_day on files.delivery_days (day);
create index delivery_days_org on files.delivery_days (org_id);
