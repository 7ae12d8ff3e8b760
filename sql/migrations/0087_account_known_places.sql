-- Browsers and networks from which a person has signed in, as hashes, the newest first. They have an allowance of sign-in mails of
-- their own, which strangers cannot use up.
alter table account.users add column known_places text[] not null default '{}';

comment on column account.users.known_places is 'SHA-256 of what the browser keeps, and of the network; the newest first, up to 20.';

-- Bodies of the platform's own mail are deleted when its delivery ends: they have codes, links and tokens. Those that are older go now.
delete from email.contents as c using email.messages as m
where m.org_id = (select org_id from account.platform) and c.id = m.content_id and c.org_id = m.org_id
  and not exists (select from email.deliveries where message_id = m.id);

update email.messages set subject = regexp_replace(subject, '[0-9]{6}', '[code]')
where org_id = (select org_id from account.platform) and subject ~ '[0-9]{6}';
