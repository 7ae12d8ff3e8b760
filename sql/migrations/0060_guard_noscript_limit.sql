-- Tickets of the page without script know whose they were, so that a visitor's are counted.
alter table guard.tickets add column site_id uuid, add column network text;

comment on column guard.tickets.network is 'Keyed hash of the client''s address (IPv6: its /64), as in guard.challenges.';

create index tickets_network on guard.tickets (site_id, network, spent_at);
