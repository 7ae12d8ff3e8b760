alter table hooks.apps add column portal_version integer not null default 0;

comment on column hooks.apps.portal_version is 'Version of the portal tokens. Tokens of earlier versions are revoked.';
