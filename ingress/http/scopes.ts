/** What keys may be allowed to do: a route asks for one of these, a key carries them. */
export type Scope =
  | 'ai:invoke'
  | 'bots:read'
  | 'bots:write'
  | 'email:send'
  | 'email:manage'
  | 'erp:read'
  | 'files:read'
  | 'files:write'
  | 'geo:read'
  | 'guard:challenge'
  | 'guard:manage'
  | 'guard:verify'
  | 'identity:read'
  | 'identity:verify'
  | 'notify:read'
  | 'notify:write'
  | 'push:manage'
  | 'push:receipt'
  | 'push:send'
  | 'stream:read'
  | 'stream:write'
  | 'streaming:read'
  | 'streaming:write'
  | 'trust:read'
  | 'voice:call'
  | 'voice:read'
  | 'whatsapp:read'
  | 'whatsapp:send'
  | 'trust:write'
  | 'wiki:read'
  | 'wiki:write'
  | 'operator'

/** Scopes that a wider one includes. */
export const included: Partial<Record<Scope, readonly Scope[]>> = {
  'bots:write': ['bots:read'],
  'identity:verify': ['identity:read'],
  'push:send': ['push:receipt'],
  'streaming:write': ['streaming:read'],
  'trust:write': ['trust:read'],
  'voice:call': ['voice:read'],
  'whatsapp:send': ['whatsapp:read'],
  'wiki:write': ['wiki:read'],
}
