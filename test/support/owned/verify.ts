import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import type { Owned } from './owned.ts'

export const verify: Owned = ({ make, db, owner }) => {
  let started: Promise<string> | undefined
  const start = async () => {
    await db.query(sql.typeAlias('void')`
      insert into email.domains (id, org_id, domain, return_path, status, verified_by, verified_at)
      values (${newId()}, ${owner.org.id}, 'codes.example', 'bounce.codes.example', 'verified', 'operator', now())`)
    return await make('POST /v1/verify/start', { channel: 'email', to: 'ann@rcpt.example' })
  }
  return {
    made: {
      '/v1/verify': () => {
        started ??= start()
        return started
      },
      '/v1/verify/prefixes': async () => encodeURIComponent('+3725123'),
    },
    bodies: { 'verify.prefixes.set': { state: 'blocked' } },
    // Using a prefix creates the caller’s own decision.
    anyones: ['verify.prefixes.set'],
  }
}
