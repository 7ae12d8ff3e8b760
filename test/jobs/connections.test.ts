import { Client } from 'pg'
import t from 'tap'
import { retryUntilConnected } from '#sql/once-connected.ts'
import { QueueConnections } from '../../workers/runtime/queue-connections.ts'
import { testDatabase } from '../support/database.ts'
import { ownCluster } from '../support/postgres.ts'

async function takeAll(url: string): Promise<Client[]> {
  const taken: Client[] = []
  for (;;) {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
    } catch {
      return taken
    }
    taken.push(client)
  }
}

t.test('a queue worker waits for a connection when the server has none left, and fails no job over it', async (t) => {
  const postgres = await ownCluster(t, { max_connections: '10' })
  const connections = new QueueConnections(postgres.url, ['core'], 2)
  const pool = connections.poolOf('core', () => false)
  const taken = await takeAll(postgres.url)
  t.ok(taken.length > 0)
  await t.rejects(new Client({ connectionString: postgres.url }).connect(), { code: '53300' })
  const asked = pool.query('select 1 as one')
  asked.catch(() => {})
  await refusals(postgres.url, 3)
  await Promise.all(taken.map((client) => client.end()))
  t.match((await asked).rows, [{ one: 1 }])
  await connections.end()
})

async function refusals(url: string, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await new Client({ connectionString: url }).connect().catch(() => {})
}

t.test(
  'a queue worker whose lease ran out while it was frozen fetches nothing, and writes how its jobs end',
  async (t) => {
    const { url } = await testDatabase(t)
    const connections = new QueueConnections(url, ['core'], 1)
    const pool = connections.poolOf('core', () => false)
    let frozen = false
    connections.guardBy(() => !frozen)
    const fetch = { name: 'get_job/jobs_core', text: `select 1::bigint as id` }
    t.equal((await pool.query(fetch)).rowCount, 1)
    frozen = true
    t.equal((await pool.query(fetch)).rowCount, 0)
    t.equal((await pool.query('select')).rowCount, 1)
    frozen = false
    t.equal((await pool.query(fetch)).rowCount, 1)
    await connections.end()
  },
)

t.test(
  'how a job ended is written when a connection is to be had again, and other errors are told at once',
  async (t) => {
    const troubles = [
      new Error('not sent', { cause: new Error('timeout expired') }),
      Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
    ]
    const write = async () => {
      const trouble = troubles.shift()
      if (trouble) throw trouble
      return 'written'
    }
    t.equal(await retryUntilConnected(write), 'written')
    let asked = 0
    const refused = retryUntilConnected(async () => {
      asked++
      throw new Error('a constraint')
    })
    await t.rejects(refused, { message: 'a constraint' })
    t.equal(asked, 1)
  },
)

t.test('a new connection of the queue is asked one thing at a time', async (t) => {
  const { url } = await testDatabase(t)
  const warnings: string[] = []
  const note = ({ message }: Error) => void warnings.push(message)
  process.on('warning', note)
  t.teardown(() => void process.off('warning', note))
  const connections = new QueueConnections(url, ['core'], 1)
  connections.admit('worker-1')
  const asked = connections.poolOf('core', () => false).query(`select current_setting('millrace.worker') as name`)
  t.match((await asked).rows, [{ name: 'worker-1' }])
  await connections.end()
  t.same(warnings, [])
})
