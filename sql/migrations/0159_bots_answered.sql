alter table bots.messages
  add column answered boolean,
  add column score real;

comment on column bots.messages.answered is 'False: the answer is the fallback, or cites passages that may help. Null: not known, as with an upstream model, or not an answer.';
comment on column bots.messages.score is 'Likeness of the question and the nearest sentence, from -1 to 1. Null: their meaning was not compared.';
