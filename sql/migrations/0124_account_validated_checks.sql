-- The checks that earlier migrations replaced, for the rows before them.
alter table account.test_messages validate constraint test_messages_channel_check;
alter table notify.preferences validate constraint preferences_channels_check;
alter table notify.copies validate constraint copies_channel_check;
alter table notify.run_steps validate constraint run_steps_type_check;
alter table notify.run_steps validate constraint run_steps_channel_check;
alter table email.deliveries validate constraint deliveries_pool_check;
alter table email.mx_sets validate constraint mx_sets_pool_check;
alter table email.contact_events validate constraint contact_events_kind_check;
alter table email.contact_events validate constraint contact_events_source_check;
alter table email.sandbox_contact_events validate constraint contact_events_kind_check;
alter table email.sandbox_contact_events validate constraint contact_events_source_check;
