alter table files.objects add column metadata_stripped boolean not null default false;

comment on column files.objects.metadata_stripped is 'Whether what lies under held_key is known to have no metadata of its uploader''s but the declared type.';

create index objects_unstripped on files.objects (id) where not metadata_stripped and held_key is not null and deleted_at is null;
