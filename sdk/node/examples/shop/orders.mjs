import { NoRetry, RetryLater } from 'millrace'
import { enqueue, inTransaction, pool } from './database.mjs'
import { paymentsUrl, sender, shopUrl } from './settings.mjs'

export class OutOfStock extends Error {}

/** Places an order. The order, its email and the job for its payment are committed together. */
export const placeOrder = ({ item, quantity, email }) =>
  inTransaction(async (client) => {
    const inserted = await client.query(
      `insert into orders (item, quantity, email, cents)
       select name, $2, $3, cents * $2 from items where name = $1 returning id, item, quantity, email, cents`,
      [item, quantity, email],
    )
    const [order] = inserted.rows
    if (!order) throw new OutOfStock(`The shop does not sell ${item}.`)
    await enqueue(client, 'email.messages.create', confirmation(order), { key: order.id })
    await enqueue(client, 'jobs.jobs.create', chargeJob(order), { key: order.id })
    // An order without stock is rolled back. Its email and job are never sent.
    const taken = await client.query('update items set stock = stock - $2 where name = $1 and stock >= $2', [
      item,
      quantity,
    ])
    if (taken.rowCount === 0) throw new OutOfStock(`The shop has less than ${quantity} of ${item}.`)
    return order
  })

const confirmation = ({ id, item, quantity, email }) => ({
  stream: 'transactional',
  from: { email: sender, name: 'Shop' },
  to: email,
  subject: `Your order of ${quantity} × ${item}`,
  text: `Thank you for your order ${id}. You receive the invoice when it is paid.`,
})

const chargeJob = ({ id }) => ({
  url: `${shopUrl}/jobs/charge`,
  body: { order: id },
  group: 'charges',
  dedupe_key: `charge-${id}`,
  retries: { max_attempts: 5, schedule: [1, 60, 600, 3600] },
})

/** Runs the job of `chargeJob`. It can run twice: the payment provider and the state of the order prevent a second charge. */
export async function charge(job) {
  const { order: id } = job.json()
  const found = await pool.query(
    'select o.*, i.merchant from orders o join items i on i.name = o.item where o.id = $1',
    [id],
  )
  const [order] = found.rows
  if (!order) throw new NoRetry('The order does not exist.')
  if (order.state !== 'placed') return
  const { status, headers } = await fetch(`${paymentsUrl}/charges`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': id },
    body: JSON.stringify({ cents: order.cents }),
  })
  if (status === 402) return decline(order)
  if (status >= 300) throw new RetryLater(Number(headers.get('retry-after')) || 60)
  await markPaid(order)
}

async function decline({ id }) {
  await pool.query("update orders set state = 'declined' where id = $1 and state = 'placed'", [id])
  throw new NoRetry('The card was declined.')
}

/** The merchant is notified if, and only if, the order is stored as paid. */
const markPaid = ({ id, merchant, item, quantity, cents }) =>
  inTransaction(async (client) => {
    const { rowCount } = await client.query(
      "update orders set state = 'paid', paid_at = now() where id = $1 and state = 'placed'",
      [id],
    )
    if (rowCount === 0) return
    const message = { event_type: 'order.paid', event_id: id, payload: { order: id, item, quantity, cents } }
    await enqueue(client, 'hooks.messages.create', message, { key: id, params: { app: merchant } })
  })
