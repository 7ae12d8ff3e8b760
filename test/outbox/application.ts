import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { type Relay, type RelayLog, type RelayOptions, startRelay } from '../../sdk/node/src/outbox/index.ts'
import { installSql } from '../../sdk/node/src/outbox/sql/install.ts'
import { ensureCluster, type Scope } from '../support/postgres.ts'

/** The database of an application that uses the outbox. Its owner and its role `shop_…` are no superusers. */
export interface Application {
  url: string
  pool: pg.Pool
  /** Name of a role that can only use the outbox. */
  role: string
  /** URL of the database for this role. */
  roleUrl: string
  enqueue(body: object, options?: { key?: string; at?: string; operation?: string }): Promise<string>
  /** Returns a column of the rows of a query. */
  column(text: string, values?: unknown[]): Promise<unknown[]>
}

/** Creates a database, installs the outbox, and removes both at the end of the test. */
export async function application(t: Scope, { install = true } = {}): Promise<Application> {
  const admin = await ensureCluster()
  const mark = randomBytes(6).toString('hex')
  const [name, role] = [`app_${mark}`, `shop_${mark}`]
  await asAdmin(admin, `create role owner_${mark} login password 'x'`, `create role ${role} login password 'x'`)
  await asAdmin(admin, `create database ${name} owner owner_${mark}`)
  const urlOf = (username: string) =>
    Object.assign(new URL(admin), { username, password: 'x', pathname: `/${name}` }).href
  const url = urlOf(`owner_${mark}`)
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => {})
  t.teardown(async () => {
    await pool.end()
    await asAdmin(admin, `drop database ${name} with (force)`)
    await asAdmin(admin, `drop role owner_${mark}`, `drop role ${role}`)
  })
  if (install) await pool.query(installSql({ grant: [role] }))
  return { ...usesOf(pool), url, role, roleUrl: urlOf(role) }
}

/** Returns what tests do with the outbox of a database. */
export function usesOf(pool: pg.Pool): Pick<Application, 'pool' | 'enqueue' | 'column'> {
  return {
    pool,
    async enqueue(body, { key, at, operation = 'notify.events.create' } = {}) {
      const text = 'select millrace.enqueue($1, $2, key => $3, at => $4::timestamptz) as id'
      return (await pool.query(text, [operation, body, key ?? null, at ?? null])).rows[0].id
    },
    async column(text, values = []) {
      return (await pool.query({ text, values, rowMode: 'array' })).rows.map(([value]) => value)
    },
  }
}

async function asAdmin(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** `end` returns before the connections are closed, and the database is dropped with the connections that are left. */
export const endPool = (pool: pg.Pool): Promise<void> => pool.on('error', () => {}).end()

export interface TestRelay extends Relay {
  logs: RelayLog[]
}

/** Starts a relay in this process until the test ends. */
export async function testRelay(t: Scope, { url }: { url: string }, options: RelayOptions): Promise<TestRelay> {
  const pool = new pg.Pool({ connectionString: url, max: 5 })
  const logs: RelayLog[] = []
  const relay = await startRelay(pool, { onLog: (line) => logs.push(line), ...options })
  let stopped: Promise<void> | undefined
  const stopBoth = async () => {
    try {
      await relay.stop()
    } finally {
      await endPool(pool)
    }
  }
  const stop = () => {
    stopped ??= stopBoth()
    return stopped
  }
  t.teardown(stop)
  return { ...relay, metrics: () => relay.metrics(), stop, logs }
}

/** Body of an event whose title is its number. */
export const event = (n: number | string, user = 'ann') => ({
  ...{ product_key: 'shop', type: 'order.shipped', subject_user_id: user, title: String(n) },
})

/** Returns the titles of the events that Millrace has accepted for a user, in their order. */
export async function titlesOf(db: DatabasePool, orgId: string, user = 'ann'): Promise<string[]> {
  return [
    ...(await db.anyFirst(sql.type(z.object({ title: z.string() }))`
      select title from notify.events where org_id = ${orgId} and subject = ${user} order by id`)),
  ]
}
