alter table email.domains
  add column track_opens boolean not null default false,
  add column track_clicks boolean not null default false,
  add column tracking_host text;

comment on column email.domains.tracking_host is 'Host of tracked links. Null for the host of the API.';

alter table email.messages add column track_opens boolean, add column track_clicks boolean;
alter table email.campaigns add column track_opens boolean, add column track_clicks boolean;

comment on column email.messages.track_opens is 'False if the request turned tracking off. Null for the setting of the domain.';

-- Host names of tracked links are proven and get their certificates like those of playback.
alter table video.domains add column purpose text not null default 'playback';
alter table video.domains add constraint domains_purpose check (purpose in ('playback', 'links')) not valid;

create index if not exists domains_purpose on video.domains (org_id, purpose, id desc);

create table email.engagements (
  message_id uuid not null references email.messages (id) on delete cascade,
  org_id uuid not null,
  kind text not null check (kind in ('open', 'click')),
  url text not null default '',
  machine boolean not null,
  reason text,
  count integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  user_agent text,
  primary key (message_id, kind, url, machine)
);

comment on table email.engagements is 'Opens and clicks of tracked messages: one row per message, link and kind of client.';
comment on column email.engagements.url is 'Target of the link. Empty for opens.';

create index engagements_org on email.engagements (org_id, first_at);
