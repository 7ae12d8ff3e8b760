-- Lists of providers and recipients with a filter whose value only a few old rows have.
create index if not exists providers_kind on sms.providers (org_id, kind, id) where state = 'active';
create index if not exists recipients_consent on whatsapp.recipients (org_id, consent, id) where consent is not null;
