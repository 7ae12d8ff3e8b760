import { newId } from '#lib/ids.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as events from '#sql/webhooks/events.ts'
import { inBatches, type Subject } from './subject.ts'

const batch = 100
/** Deliveries that are recorded at the same time. */
const lanes = 4

const answer = {
  ...{ status: 'delivered' as const, dueMs: 0, response_status: 200, latency_ms: 12 },
  ...{ response_head: 'ok', response_headers: { 'content-type': 'text/plain' }, error: null },
}

/** Deliveries of webhooks that succeed with their first attempt. They stay until their week is dropped. */
export async function createWebhookDeliveries(db: DatabasePool): Promise<Subject> {
  const orgId = (await createOrg(db, 'webhooks', 'unlimited', {})).org.id
  const endpoint = newId()
  await db.query(sql.typeAlias('void')`
    insert into webhooks.endpoints (id, org_id, url, events, secret)
    values (${endpoint}, ${orgId}, 'https://a.example/', '{*}', 'x')`)
  const add = (count: number) =>
    db.transaction(async (tx) => {
      const created_at = new Date().toISOString()
      const data = { email: 'person@a.example', subject: 'Your order' }
      const rows = Array.from({ length: count }, () => ({
        ...{ id: newId(), org_id: orgId, type: 'email.delivered', data, sample: false, created_at },
      }))
      await events.insertMany(tx, rows)
      await deliveries.insertMany(
        tx,
        rows.map(({ id }) => ({ id: newId(), org_id: orgId, event_id: id, endpoint_id: endpoint })),
      )
    })
  const deliver = async () => {
    const due = await deliveries.listDue(db, endpoint, { limit: batch, except: [] })
    let at = 0
    await inBatches(due.length, 1, lanes, async () => {
      const one = due[at++] as deliveries.DueDelivery
      await deliveries.record(db, one, one.attempts, answer)
    })
    return due.length
  }
  return {
    what: 'webhooks.deliveries',
    table: 'webhooks.deliveries',
    stays: true,
    churn: (rows) =>
      inBatches(rows, batch, 1, async (count) => {
        await add(count)
        while ((await deliver()) > 0);
      }),
    async probe() {
      await deliveries.listDue(db, endpoint, { limit: batch, except: [] })
      await deliveries.list(db, endpoint, { where: everything, before: undefined, limit: 20 })
    },
  }
}
