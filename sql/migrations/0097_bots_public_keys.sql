alter table bots.bots add column public_key_id uuid, add column public_key text;

comment on column bots.bots.public_key is 'The last public key that was created for web pages with this bot. Web pages contain it, so it is stored as it is.';
