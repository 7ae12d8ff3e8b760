alter table hooks.apps add column deleted_at timestamptz;

comment on column hooks.apps.deleted_at is 'Since then the app does not exist for its organisation. A task deletes its messages, and then the app.';
