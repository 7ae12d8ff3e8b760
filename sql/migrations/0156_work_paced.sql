create index jobs_paced on work.jobs (org_id, rate_key, due_at) where phase = 'paced';
