-- Who can load an object by its stable URL.
alter table files.objects add column visibility text not null default 'private'
  constraint objects_visibility check (visibility in ('private', 'signed', 'public'));
alter table files.objects add column url_generation integer not null default 0;

comment on column files.objects.visibility is 'Of the first version alone: it applies to all versions.';
comment on column files.objects.url_generation is 'Of the first version alone: signed URLs of an earlier generation are revoked.';

create index if not exists objects_first_visibility on files.objects (org_id, visibility, id desc)
  where deleted_at is null and version_of is null;
