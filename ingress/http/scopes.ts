/** What keys may be allowed to do: a route asks for one of these, a key carries them. */
export type Scope =
  | 'ai:invoke'
  | 'bots:read'
  | 'bots:write'
  | 'email:send'
  | 'email:manage'
  | 'files:read'
  | 'files:write'
  | 'guard:challenge'
  | 'guard:manage'
  | 'guard:verify'
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
  | 'trust:write'
  | 'wiki:read'
  | 'wiki:write'
  | 'operator'

/** Scopes that a wider one includes. */
export const included: Partial<Record<Scope, readonly Scope[]>> = {
  'bots:write': ['bots:read'],
  'push:send': ['push:receipt'],
  'streaming:write': ['streaming:read'],
  'trust:write': ['trust:read'],
  'wiki:write': ['wiki:read'],
}
