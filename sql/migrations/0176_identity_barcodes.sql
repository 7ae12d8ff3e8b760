alter table identity.readings drop constraint readings_reason_check;
alter table identity.readings add constraint readings_reason_check check (reason in ('reader_unavailable', 'reader_failed', 'format_not_read', 'unreadable_picture', 'too_many_pixels', 'too_small', 'blurred', 'no_lines', 'unclear', 'barcode_malformed'));
