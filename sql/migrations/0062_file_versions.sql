-- Bytes that replace an object's are an object of their own, until which are found clean the ones before are served.
alter table files.objects add column version_of uuid;
alter table files.objects add column version integer not null default 1;
alter table files.objects add column last_version integer not null default 1;

comment on column files.objects.version_of is 'The object whose bytes these replace; null for the first version, by whose id it is asked for.';
comment on column files.objects.last_version is 'Of the first version alone: the number of the newest that was ever begun, so that none is given twice.';
