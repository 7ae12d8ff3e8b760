-- The variables of a template are stored when it is written: a list of templates must not read their texts.

create function email.placeholders(variadic texts text[]) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(name order by first), '{}')
  from (
    select m.found[1] as name, min(t.number * 1000000000 + m.number) as first
    from unnest(texts) with ordinality as t (said, number)
    cross join lateral regexp_matches(t.said,
      '\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*(?:\|\s*(?:"[^"{}]*"|''[^''{}]*'')\s*)?\}\}', 'g')
      with ordinality as m (found, number)
    group by 1
  ) as named
$$;

comment on function email.placeholders is 'The names of the placeholders in texts, each once, in the order in which they stand.';

create function push.placeholders(locales jsonb) returns text[]
language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct m.found[1] order by m.found[1]), '{}')
  from jsonb_path_query(locales, '$.**?(@.type() == "string")') as t (said)
  cross join lateral regexp_matches(t.said #>> '{}', '\{\{\s*([A-Za-z_][\w.]{0,63})\s*\}\}', 'g') as m (found)
$$;

comment on function push.placeholders is 'The names of the variables in a template''s texts, each once, in the order of the alphabet.';

alter table email.templates add column variables text[];
alter table push.templates add column variables text[];

comment on column email.templates.variables is 'The names of its placeholders. A trigger writes them.';
comment on column push.templates.variables is 'The names of its variables. A trigger writes them.';

create function email.write_variables() returns trigger language plpgsql as $$
begin
  new.variables := email.placeholders(new.subject, new.html, new.text);
  return new;
end
$$;

create function push.write_variables() returns trigger language plpgsql as $$
begin
  new.variables := push.placeholders(new.locales);
  return new;
end
$$;

create trigger write_variables before insert or update of subject, html, text on email.templates
for each row execute function email.write_variables();

create trigger write_variables before insert or update of locales on push.templates
for each row execute function push.write_variables();
