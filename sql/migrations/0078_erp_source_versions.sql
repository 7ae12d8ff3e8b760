-- What is read of a source counts for what it was told when that was fetched, and for nothing that it was told later.
alter table erp.sources add column version integer not null default 1;
alter table erp.imports add column source_version integer;

comment on column erp.sources.version is 'How often it was told what it is.';
comment on column erp.imports.source_version is 'Of its source, when its file was fetched.';
