create index if not exists objects_versions on files.objects (version_of, version) where version_of is not null;
