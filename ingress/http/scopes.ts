/** What keys may be allowed to do: a route asks for one of these, a key carries them. */
export type Scope =
  | 'email:send'
  | 'email:manage'
  | 'files:read'
  | 'files:write'
  | 'stream:read'
  | 'stream:write'
  | 'operator'
