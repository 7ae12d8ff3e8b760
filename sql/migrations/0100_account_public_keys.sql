-- A public key is part of web pages and apps, so it is not a secret. Dashboard pages show it again. Keys of earlier
-- releases have no text.
alter table account.key_secrets add column public_key text
  constraint key_secrets_public_key_check check (public_key like 'bt\_site\_%');

comment on column account.key_secrets.public_key is 'The whole key if it is public (bt_site_); null for every other key.';
