alter table email.messages add column resent_from uuid;

comment on column email.messages.resent_from is 'The message whose content this one repeats; null if it repeats none.';
