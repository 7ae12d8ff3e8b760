-- Each filter of the request log reads its rows, newest first. Without these indexes, a rare value reads the whole log.
-- Almost all requests have a status below 300, so those are found in the newest rows.
create index if not exists requests_operation on account.requests (org_id, operation, id desc);
create index if not exists requests_key on account.requests (org_id, key_id, id desc);
create index if not exists requests_status on account.requests (org_id, status, id desc) where status >= 300;
create index if not exists requests_class on account.requests (org_id, (status / 100), id desc) where status >= 300;
create index if not exists requests_code on account.requests (org_id, code, id desc) where code is not null;
create index if not exists requests_client_id on account.requests (org_id, client_id, id desc) where client_id is not null;
