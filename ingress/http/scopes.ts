/** What keys may be allowed to do: a route asks for one of these, a key carries them. */
export type Scope =
  | 'email:send'
  | 'email:manage'
  | 'files:read'
  | 'files:write'
  | 'notify:read'
  | 'notify:write'
  | 'push:manage'
  | 'push:receipt'
  | 'push:send'
  | 'stream:read'
  | 'stream:write'
  | 'operator'

/** Scopes that a wider one includes. */
export const included: Partial<Record<Scope, readonly Scope[]>> = { 'push:send': ['push:receipt'] }
