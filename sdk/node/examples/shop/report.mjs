import { NoRetry } from 'millrace'
import { pool } from './database.mjs'

/** Runs the nightly job: stores the paid orders of the day before. A repeated call changes nothing. */
export async function report({ scheduledFor }) {
  if (!scheduledFor) throw new NoRetry('Only the schedule can start the report.')
  await pool.query(
    `insert into reports (scheduled_for, orders, cents)
     select $1, count(*), coalesce(sum(cents), 0) from orders
     where state = 'paid' and paid_at > $1::timestamptz - interval '1 day' and paid_at <= $1
     on conflict do nothing`,
    [scheduledFor],
  )
}
