alter table bots.unanswered
  add column group_id uuid,
  add column model text,
  add column vector bytea;

comment on column bots.unanswered.group_id is 'Questions with a similar meaning have the same value. Null: not compared yet.';
comment on column bots.unanswered.vector is 'Of length 1, signed bytes, each a multiple of 1/500. Null: compared by its words.';

create index unanswered_ungrouped on bots.unanswered (bot_id, id) where group_id is null;
