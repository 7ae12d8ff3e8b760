alter table erp.registers drop constraint registers_what_check;
alter table erp.registers add constraint registers_what_check check (what in ('companies', 'officers', 'relations'));

comment on column erp.registers.companies is 'Number of companies, officers or relations in the last import.';

create table erp.relations (
  register text not null references erp.registers (name),
  lei text not null,
  kind text not null,
  parent_lei text,
  reason text,
  status text not null check (status in ('active', 'inactive')),
  since date,
  until date,
  digest text not null,
  primary key (lei, register, digest),
  check ((parent_lei is null) <> (reason is null))
);

comment on table erp.relations is 'Parents of companies by LEI, and the reasons why companies report none.';
comment on column erp.relations.reason is 'Reason why the company reports no parent. Null if parent_lei is set.';
comment on column erp.relations.digest is 'Hash of the other columns. A relation that has not changed keeps its row.';

create index relations_parent on erp.relations (parent_lei, lei) where parent_lei is not null;
create index relations_register on erp.relations (register);

create unlogged table erp.staged_relations (
  import_id uuid not null,
  lei text not null,
  kind text not null,
  parent_lei text,
  reason text,
  status text not null,
  since date,
  until date,
  digest text not null
);

create index on erp.staged_relations (import_id);

