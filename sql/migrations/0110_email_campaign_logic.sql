-- Campaigns with logic. Their content keeps the partials and layouts that they had when they started.
alter table email.campaigns
  add column syntax text not null default 'placeholders' check (syntax in ('placeholders', 'liquid')),
  add column uses text[] not null default '{}';

comment on column email.campaigns.uses is 'Aliases of the partials and layouts that the campaign uses.';

alter table email.contents add column partials jsonb;

comment on column email.contents.partials is 'Of a campaign in Liquid: its partials and layouts by alias. Null for all other content.';
