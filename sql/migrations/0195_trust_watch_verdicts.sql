create index if not exists watches_verdict on trust.watches (org_id, verdict, id);
