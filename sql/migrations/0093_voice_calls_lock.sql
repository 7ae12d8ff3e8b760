-- `voice:read` places calls from here on, as the contract has it. Keys that only read until now keep reading only.
update account.keys set locks = locks || '{"calls": false}'
where 'voice:read' = any (scopes) and not 'voice:call' = any (scopes);
