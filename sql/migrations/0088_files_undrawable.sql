alter table files.objects add column if not exists undrawable_pages integer[] not null default '{}';

comment on column files.objects.undrawable_pages is 'Pages of which no preview is drawn again: they were damaged or took too much. Three of them stand for all.';
