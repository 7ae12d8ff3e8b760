-- Companies by one filter alone, in the order of names: each reads its page, however few companies fit it.
create index if not exists companies_status on erp.companies (status, name_norm, id);
create index if not exists companies_city on erp.companies (lower(city), name_norm, id) where city is not null;
create index if not exists companies_registered on erp.companies (registered_at) where registered_at is not null;
-- Articles of a language, the newest first.
create index if not exists articles_language on wiki.articles (org_id, language, id);

-- Planned for the words of each search: from the sixth on, Postgres 18 takes a plan of a session for all words, which reads the whole
-- index of titles for what begins like a slug (5 ms became 750 with 400,000 articles).
alter function wiki.newest_matching set plan_cache_mode = force_custom_plan;
alter function wiki.newest_beginning set plan_cache_mode = force_custom_plan;
