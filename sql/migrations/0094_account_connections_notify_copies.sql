alter table notify.copies add column person_id uuid;

comment on column notify.copies.person_id is 'Person of the directory when the event came; null if it had none, or the copy goes out immediately.';
comment on column notify.copies.recipient is 'Empty in a window: the address that the directory has at its end.';

alter table account.connections add column takes_unmarked_email boolean not null default false;

comment on column account.connections.takes_unmarked_email is
  'An address of a proven domain counts as verified if the provider does not return the claim email_verified.';
