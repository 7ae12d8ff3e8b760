alter table account.ceremonies drop constraint ceremonies_kind_check;
alter table account.ceremonies add constraint ceremonies_kind_check
  check (kind in ('mail', 'mail_step_up', 'sign_in', 'register', 'step_up', 'oidc', 'oidc_step_up')) not valid;
alter table account.ceremonies validate constraint ceremonies_kind_check;

comment on column account.ceremonies.details is 'What the response is checked against, and the encrypted form to continue with.';
