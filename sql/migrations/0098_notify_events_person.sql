-- The page of a person lists the person's events, newest first.
create index events_person on notify.events (org_id, user_id, id);
