-- Lists are asked for by any status; the index before had but some of them.
create index messages_status on email.messages (org_id, status, id);
drop index email.messages_trouble;
