-- Local parts as they were given: stored forms are lower case, and a server may tell them apart (RFC 5321 §2.4).
alter table email.messages
  add column to_written text,
  add column from_written text;

comment on column email.messages.to_written is 'The recipient as the caller wrote it, to which the mail goes; null where that is to_email.';
comment on column email.messages.from_written is 'The sender as the caller wrote it; null where that is from_email.';
