-- Refuses new rows of an organisation that is closed, whichever token, page or process adds them. Once per statement: what a
-- transaction has written before the closure stays.
create function account.refuse_closed() returns trigger language plpgsql set search_path = account, pg_catalog as $$
begin
  if exists (
    select from closures where state in ('waiting', 'running') and org_id in (select org_id from added)
  ) then
    raise exception 'the organisation of a new row in % is closed', tg_table_name using errcode = 'P0CLO';
  end if;
  return null;
end
$$;

comment on function account.refuse_closed() is 'Of tables in which something begins. Where the end of something is noted, rows of closed organisations are accepted.';

-- Called again by migrations that add such tables.
create function account.fence_closed(variadic tables regclass[]) returns void language plpgsql as $$
declare
  target regclass;
begin
  foreach target in array tables loop
    execute format('create or replace trigger refuse_closed after insert on %s referencing new table as added
      for each statement execute function account.refuse_closed()', target);
  end loop;
end
$$;

select account.fence_closed(
  'account.invitations', 'account.keys', 'account.members',
  'bots.bots', 'bots.conversations', 'bots.handovers', 'bots.messages',
  'directory.channels', 'directory.playlists',
  'email.campaigns', 'email.contacts', 'email.domains', 'email.inbound_routes', 'email.messages', 'email.received',
  'email.reconfirmations', 'email.sandbox_contacts', 'email.sandbox_messages', 'email.segments', 'email.templates',
  'files.objects',
  'guard.challenges', 'guard.sites', 'guard.tokens',
  'identity.checks', 'identity.prompts', 'identity.readings',
  'knowledge.sources',
  'live.channels', 'live.restreams',
  'notify.events', 'notify.inbox', 'notify.people', 'notify.preferences', 'notify.texts', 'notify.users', 'notify.workflows',
  'push.apps', 'push.credentials', 'push.installations', 'push.messages', 'push.subscriptions', 'push.templates', 'push.users',
  'rooms.broadcasts', 'rooms.restreams', 'rooms.rooms',
  'trust.listings', 'trust.watches',
  'video.assets', 'video.domains', 'video.imports', 'video.playback_sessions', 'video.uploads', 'video.watermarks',
  'voice.calls', 'voice.rules',
  'webhooks.endpoints',
  'whatsapp.business_numbers', 'whatsapp.conversations', 'whatsapp.messages',
  'wiki.articles', 'wiki.claims', 'wiki.entities', 'wiki.snapshots', 'wiki.sources'
);

select account.let_moves_pass();
