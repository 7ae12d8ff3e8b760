alter table notify.copies add column person_id uuid;

comment on column notify.copies.person_id is 'Person of the directory when the event came; null if it had none, or the copy goes out immediately.';
comment on column notify.copies.recipient is 'Empty in a window: the address that the directory has at its end.';

-- Mail that waits to be collected goes to the address that the directory has then.
update notify.copies as c set person_id = p.id, recipient = ''
from notify.events as e join notify.people as p on p.org_id = e.org_id and p.user_id = e.user_id
where e.id = c.event_id and c.digest_id is not null and c.status = 'waiting' and not c.is_contact and c.recipient = p.email;

alter table account.connections add column takes_unmarked_email boolean not null default false;

comment on column account.connections.takes_unmarked_email is
  'An address of a proven domain counts as verified if the provider does not return the claim email_verified.';
