import { pool } from './database.mjs'

/** Runs the nightly job: stores the paid orders of the day before. A repeated call of a run changes nothing. */
export async function report({ scheduledFor }) {
  await pool.query(
    `insert into reports (scheduled_for, orders, cents)
     select $1, count(*), coalesce(sum(cents), 0) from orders
     where state = 'paid' and paid_at > $1::timestamptz - interval '1 day' and paid_at <= $1
     on conflict do nothing`,
    [scheduledFor ?? new Date()], // A member can also run the schedule now.
  )
}
