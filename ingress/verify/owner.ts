import type { Caller } from '#sql/account/keys.ts'
import type { Owner } from '#sql/verify/verifications.ts'

/**
 * Returns whose verifications a caller can use. Test keys and live keys have separate ones. A locked key can use only
 * those that it started, because others may use other domains, sites or channels.
 */
export const ownerOf = ({ org, key }: Pick<Caller, 'org' | 'key'>): Owner => ({
  orgId: org.id,
  sandbox: key.mode === 'test',
  keyId: isLocked(key.locks) ? key.id : undefined,
})

const isLocked = ({ from_domains, site_id, calls }: Caller['key']['locks']): boolean =>
  from_domains !== undefined || site_id !== undefined || calls !== undefined
