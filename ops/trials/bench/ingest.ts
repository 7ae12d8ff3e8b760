import { randomBytes } from 'node:crypto'
import { createOrg } from '#sql/account/setup.ts'
import { openPool } from '#sql/db.ts'
import type { Benchmark } from './benchmark.ts'
import { createBenchmarkDatabase, createBenchmarkFolder } from './ground.ts'
import { buildContactsCsv, digits, sender } from './ingest/client.ts'
import { measureParts, type PartTimes } from './ingest/parts.ts'
import { startIngress } from './product.ts'

/** Maximum number of contacts in a file. */
const contactsPerFile = 10_000
const parts = 10

export const ingest: Benchmark = {
  summary: 'contacts by CSV files and devices by registration: the last tenth of the rows, compared with the first',
  options: {
    contacts: { about: 'contacts', default: 10_000_000 },
    devices: { about: 'devices', default: 1_000_000 },
  },
  async run({ contacts = 10_000_000, devices = 1_000_000 }, ends) {
    const url = await createBenchmarkDatabase(await createBenchmarkFolder(ends), ends)
    const db = await openPool(url, 2)
    ends.defer(() => db.end())
    const { keys } = await createOrg(db, 'bench', 'unlimited', {
      email: { prefix: 'snd_live_', scopes: ['email:manage'] },
      push: { prefix: 'bt_live_', scopes: ['push:send', 'push:manage'] },
    })
    const base = await startIngress(ends, { DATABASE_URL: url, SIGNING_SECRET: randomBytes(16).toString('hex') })
    const sendEmail = sender(`${base}/send/v1`, keys.email)
    const sendPush = sender(`${base}/push/v1`, keys.push)
    const { id: appId } = (await sendPush('/apps', '{"name":"Shop"}', 'application/json')).reply as { id: string }

    // The first requests wait until Postgres and the ingress have loaded what they need.
    await sendEmail('/contacts/import', 'email\nfirst@warm.example\n', 'text/csv')
    const ofContacts = await measureParts({
      ...{ what: 'contacts', rows: contacts, parts, batch: contactsPerFile, lanes: 2 },
      send: async (from, to) => (await sendEmail('/contacts/import', buildContactsCsv(from, to), 'text/csv')).ms,
    })
    const ofDevices = await measureParts({
      ...{ what: 'devices', rows: devices, parts, batch: 1, lanes: 32 },
      send: async (n) => {
        const device = { app_id: appId, user_id: `user-${n}`, push_provider: 'apns', token: digits(n), platform: 'ios' }
        return (await sendPush('/installations', JSON.stringify(device), 'application/json')).ms
      },
    })
    return {
      comparisons: [...compare('contacts', ofContacts), ...compare('devices', ofDevices)],
      notes: [
        `${contacts.toLocaleString('en')} contacts in CSV files of ${contactsPerFile} lines over 2 connections: ${rate(contacts, ofContacts)}/s`,
        `${devices.toLocaleString('en')} devices over 32 connections, one per request: ${rate(devices, ofDevices)}/s`,
        'an organisation may import 60 files per minute, and the waits for this limit are not counted; the order of addresses and tokens is random',
      ],
      rounds: { contacts: ofContacts, devices: ofDevices },
    }
  },
}

function compare(what: string, times: readonly PartTimes[]) {
  const [first, last] = [times[0], times.at(-1)]
  const compareOf = (of: keyof PartTimes, said: string) => ({
    what: `${said} of the last tenth of the ${what}, compared with the first`,
    unit: 's',
    limit: first?.[of] ?? Number.NaN,
    product: last?.[of] ?? Number.NaN,
    demand: { atMost: 1.15 },
  })
  return [compareOf('seconds', 'time'), compareOf('cpuSeconds', 'CPU time')]
}

const rate = (rows: number, times: readonly PartTimes[]) =>
  Math.round(rows / times.reduce((sum, { seconds }) => sum + seconds, 0)).toLocaleString('en')
