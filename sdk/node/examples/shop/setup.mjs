/** Creates the tables, and in Millrace the schedule, the event type and an application for each merchant: `node setup.mjs`. */
import { ConflictError, Millrace } from 'millrace'
import { createTables, pool } from './database.mjs'
import { shopUrl } from './settings.mjs'

const client = new Millrace() // from MILLRACE_BASE_URL and MILLRACE_API_KEY

await createTables()

await once(() =>
  client.jobs.schedules.create({
    name: 'nightly-report',
    cron: '30 2 * * *',
    time_zone: 'Europe/Berlin',
    missed: 'once',
    job: { url: `${shopUrl}/jobs/report`, group: 'reports' },
  }),
)

await once(() =>
  client.hooks.eventTypes.create({
    name: 'order.paid',
    description: 'A customer has paid an order.',
    schema: {
      type: 'object',
      required: ['order', 'item', 'quantity', 'cents'],
      properties: {
        order: { type: 'string' },
        item: { type: 'string' },
        quantity: { type: 'integer' },
        cents: { type: 'integer' },
      },
    },
  }),
)

const { rows: merchants } = await pool.query('select id from merchants')
for (const { id } of merchants) await once(() => client.hooks.apps.create({ uid: id, name: id }))
await pool.end()
console.log('The shop is set up.')

/** Ignores an object that exists since the last set-up. */
async function once(create) {
  await create().catch((error) => {
    if (!(error instanceof ConflictError)) throw error
  })
}
