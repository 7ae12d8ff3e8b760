-- Local parts as they were given: stored forms are lower case, and a server may tell them apart (RFC 5321 §2.4).
alter table email.contacts add column written text;
alter table email.sandbox_contacts add column written text;

comment on column email.contacts.written is 'The address as the organisation wrote it last, to which mail goes; null where that is email.';
comment on column email.sandbox_contacts.written is 'The address as the organisation wrote it last; null where that is email.';
