-- Lists have objects by their first versions alone: with the later ones, which are newer, they would pass a hundred rows for each.
create index if not exists objects_first on files.objects (org_id, id desc) where deleted_at is null and version_of is null;
create index if not exists objects_first_tenant on files.objects (org_id, tenant_id, id desc) where deleted_at is null and version_of is null;
create index if not exists objects_first_status on files.objects (org_id, scan_status, id desc) where deleted_at is null and version_of is null;
create index if not exists objects_first_product on files.objects (org_id, product_key, id desc) where deleted_at is null and version_of is null;
drop index files.objects_org;
drop index files.objects_tenant;
drop index files.objects_status;
drop index files.objects_product;
