create schema webhooks;

comment on schema webhooks is 'Endpoints that are told of events, the events, and every delivery of one to another.';
