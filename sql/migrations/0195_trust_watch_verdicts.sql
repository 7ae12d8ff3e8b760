create index watches_verdict on trust.watches (org_id, verdict, id);
