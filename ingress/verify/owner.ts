import type { Caller } from '#sql/account/keys.ts'
import type { Owner } from '#sql/verify/verifications.ts'

/** Returns whose verifications a caller can use. Test keys and live keys have separate ones. */
export const ownerOf = ({ org, key }: Pick<Caller, 'org' | 'key'>): Owner => ({
  orgId: org.id,
  sandbox: key.mode === 'test',
})
