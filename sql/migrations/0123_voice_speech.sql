alter table voice.calls add column if not exists speech jsonb;

comment on column voice.calls.speech is 'What the called person hears, with its secret sealed. Null for a call that connects two telephones.';
