create function wiki.forget_published() returns trigger language plpgsql as $$
begin
  delete from knowledge.sources where id = old.article_id;
  return null;
end
$$;

comment on function wiki.forget_published is 'An article that is withdrawn is found no more; whoever publishes it keeps its text anew.';

create trigger forget_deleted after delete on wiki.published for each row execute function wiki.forget_published();
