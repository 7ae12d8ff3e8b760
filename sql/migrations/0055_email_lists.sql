-- Indexes on columns that the migrations before it add: made while others write, which those could not. And checks that they left.
create index if not exists messages_copies on email.messages (copy_of, id) where copy_of is not null;
create index if not exists messages_scheduled on email.messages (org_id, id) where send_at is not null;
create index if not exists messages_waiting on email.messages (org_id, send_at, id) where status = 'scheduled';
create index if not exists messages_late on email.messages (send_at) where status = 'scheduled';
create index if not exists events_run on notify.events (run_id, id) where run_id is not null;
create index if not exists inbox_unseen on notify.inbox (org_id, user_id, id) where seen_at is null and read_at is null;
create index if not exists inbox_archived on notify.inbox (org_id, user_id, id) where archived_at is not null;
create index if not exists inbox_mark_number on notify.inbox (org_id, user_id, mark_number) where mark_number is not null;
create index if not exists messages_number on whatsapp.messages (number_id) where number_id is not null;

alter table email.messages validate constraint messages_status_check;
alter table email.messages validate constraint messages_recipient_check;
alter table email.campaigns validate constraint campaigns_status_check;
alter table notify.events validate constraint events_chosen_by_check;
alter table notify.preferences validate constraint preferences_channels_check;
alter table notify.copies validate constraint copies_channel_check;
alter table whatsapp.messages validate constraint messages_number_id_fkey;
