-- Apart from what changes the table, so that its events can be read while the index is made.
create index events_org on webhooks.events (org_id, id);
