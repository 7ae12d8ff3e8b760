import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { claim } from '#sql/email/delivery/claims.ts'
import { settle } from '#sql/email/delivery/settle.ts'
import { addDeliveries } from '#tasks/email/rules/add-deliveries.ts'
import { makeSender } from '../mail/backlog.ts'
import { inBatches, type Subject } from './subject.ts'

/** Messages whose deliveries are added again and again. Only the deliveries are measured. */
const messages = 10_000
const [batch, lanes] = [20, 4]
const address = '127.0.0.1'

/** Deliveries of email that are claimed and settled by the statements of a worker. */
export async function createMailDeliveries(db: DatabasePool): Promise<Subject> {
  const { orgId, fill } = await makeSender(db, 'a secret of the benchmark, of 32 characters')
  await fill(messages, 200)
  const ids = await db.anyFirst(sql.type(z.object({ id: z.string() }))`select id from email.messages`)
  const claimOf = (connection: string) =>
    claim(db, {
      ...{ connection, pool: 'transactional', mxSet: 'sink', domain: 'rcpt.example', address },
      ...{ addresses: [address], limit: batch },
    })
  const deliver = async () => {
    const connection = newId()
    const claimed = await claimOf(connection)
    const settled = claimed.map(({ id, attempts }) => ({
      ...{ message_id: id, leased_by: connection, attempts, retry_ms: null, local_address: null },
    }))
    await db.transaction((tx) => settle(tx, settled))
    return claimed.length
  }
  const deliverAll = () =>
    Promise.all(
      Array.from({ length: lanes }, async () => {
        while ((await deliver()) > 0);
      }),
    )
  let next = 0
  const add = (count: number) => {
    const chosen = Array.from({ length: count }, () => ids[next++ % messages] as string)
    const rows = chosen.map(
      (messageId) => ({ messageId, orgId, stream: 'transactional', toDomain: 'rcpt.example' }) as const,
    )
    return db.transaction((tx) => addDeliveries(tx, rows))
  }
  await deliverAll()
  return {
    what: 'email.deliveries',
    table: 'email.deliveries',
    stays: false,
    async churn(rows) {
      await deliverAll()
      for (let left = rows; left > 0; left -= messages) {
        await inBatches(Math.min(left, messages), 500, 1, add)
        await deliverAll()
      }
    },
    prepare: () => add(1_000),
    probe: deliver,
  }
}
