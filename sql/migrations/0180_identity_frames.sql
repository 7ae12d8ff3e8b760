alter table identity.face_checks add column frames_hash text;

comment on column identity.face_checks.frames_hash is 'Hash of the frames that were sent for the current challenge. After a fault, only these can be sent again.';
