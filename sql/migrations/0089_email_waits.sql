-- Why mail to an MX set waits, in a word that senders may see: the reply itself may name another organisation's recipient.
alter table email.mx_sets add column reply_class text;

comment on column email.mx_sets.reply_class is 'The class of the reply that slowed or suspended it last; warm_up: the address has sent what it may today.';
