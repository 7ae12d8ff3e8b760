import type { DatabasePool, Db } from '#sql/db.ts'
import { sql } from '#sql/db.ts'
import * as mail from '#sql/email/delivery/claims.ts'
import * as push from '#sql/push/deliveries.ts'
import * as webhooks from '#sql/webhooks/deliveries.ts'
import { recordStatements } from './record.ts'
import { owner, rowId } from './rows.ts'
import type { Subject } from './subjects.ts'

const limit = 20

/**
 * Returns all claims of waiting rows. Each runs in a transaction that is rolled back, so the next one sees the same
 * rows.
 */
export function listClaims(db: DatabasePool): Subject[] {
  const undone = (what: string, tables: readonly string[], claim: (tx: Db) => Promise<unknown>): Subject => {
    const run = () =>
      db.connect(async (tx) => {
        await tx.query(sql.typeAlias('void')`begin`)
        await claim(tx)
        await tx.query(sql.typeAlias('void')`rollback`)
      })
    return { name: `claim of ${what}`, area: 'claims', tables, run, record: () => recordStatements(run) }
  }
  const email = ['email.deliveries', 'email.messages']
  const lane = { app_id: rowId(owner), provider: 'fcm', environment: 'sandbox' } as const
  const lease = rowId(owner)
  const connection = {
    connection: lease,
    pool: 'campaign',
    mxSet: 'mx',
    domain: 'example.com',
    address: '192.0.2.1',
    addresses: ['192.0.2.1'],
  } as const
  return [
    undone('mail of a connection', email, (tx) => mail.claim(tx, { ...connection, limit })),
    undone('mail of a domain', email, (tx) => mail.lockDomain(tx, 'campaign', 'example.com', limit)),
    undone('due email', email, (tx) => mail.lockExpired(tx, limit)),
    undone('pushes of a lane', ['push.deliveries'], (tx) => push.claim(tx, lane, { lease, seconds: 60, limit })),
    undone('due pushes', ['push.deliveries'], (tx) =>
      push.claimExpired(tx, lane, { lease, seconds: 60, limit, late: 60 }),
    ),
    undone('webhooks of an endpoint', ['webhooks.deliveries', 'webhooks.endpoints'], (tx) =>
      webhooks.listDue(tx, rowId(owner), { limit, except: [] }),
    ),
  ]
}
