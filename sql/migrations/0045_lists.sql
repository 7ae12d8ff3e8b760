-- Lists by one of their filters: each reads its page, however few of an organisation's rows fit it and however old they are.
create index if not exists keys_revoked on account.keys (org_id, id) where revoked_at is not null;
create index if not exists keys_in_force on account.keys (org_id, id) where revoked_at is null;
create index if not exists audit_action on account.audit (org_id, action, number);
create index if not exists audit_actor on account.audit (org_id, actor_id, number);
create index if not exists audit_target on account.audit (org_id, target, number) where target is not null;
create index if not exists audit_time on account.audit (org_id, created_at, number);
create index if not exists test_messages_channel on account.test_messages (org_id, channel, id);
create index if not exists test_messages_recipient on account.test_messages (org_id, recipient, id);
create index if not exists channels_language on directory.channels (language, id);
create index if not exists suppressions_reason on email.suppressions (org_id, reason, id);
create index if not exists articles_status on wiki.articles (org_id, status, id);
create index if not exists bots_category_popular on bots.bots (category, popularity desc, id desc) where published_at is not null;
create index if not exists bots_category_recent on bots.bots (category, published_at desc, id desc) where published_at is not null;
create index if not exists bots_languages on bots.bots using gin (languages) where published_at is not null;
create index if not exists entities_type on wiki.entities (org_id, type, id);
create index if not exists claims_property on wiki.claims (org_id, property, id);
create index if not exists claims_rank on wiki.claims (org_id, rank, id);
create index if not exists claims_preferred on wiki.claims (entity_id, property) where rank = 'preferred';
create index if not exists conversations_user on bots.conversations (bot_id, user_id, id) where user_id is not null;
create index if not exists calls_status on voice.calls (org_id, status, id);
create index if not exists messages_status on whatsapp.messages (org_id, status, id);
create index if not exists messages_direction on whatsapp.messages (org_id, direction, id);
create index if not exists messages_phone on whatsapp.messages (org_id, phone, id);
create index if not exists objects_status on files.objects (org_id, scan_status, id desc) where deleted_at is null;
create index if not exists objects_product on files.objects (org_id, product_key, id desc) where deleted_at is null and product_key is not null;
create index if not exists messages_stream on email.messages (org_id, stream, id);
create index if not exists events_type on webhooks.events (org_id, type, id);
create index if not exists deliveries_status on webhooks.deliveries (endpoint_id, status, id);
-- By both filters, and by each of them with all values of the other.
create index if not exists deliveries_filters on push.deliveries (app_id, status, provider, id);
-- A page of a message's deliveries has the attempts of those alone, however many devices it went to.
create index if not exists attempts_delivery on push.attempts (message_id, delivery_id);
drop index push.attempts_message;
