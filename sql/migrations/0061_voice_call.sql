-- Calls are placed and hung up with a scope of their own, which whoever could do so with `voice:read` has.
update account.keys set scopes = scopes || '{voice:call}'::text[]
where 'voice:read' = any (scopes) and not 'voice:call' = any (scopes);
