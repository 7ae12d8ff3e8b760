import { join } from 'node:path'
import pg from 'pg'
import type { Test } from 'tap'
import { freePort } from '../support/postgres.ts'
import { dataFolder } from '../support/stack.ts'

/** A folder below one that only we may enter, as Postgres runs as another user when we are root. */
export async function options(t: Test) {
  const dir = join(await dataFolder(t), 'postgres')
  return {
    dir,
    port: await freePort(),
    password: 'it’s a p@ss/word',
    settings: { fsync: 'off', shared_buffers: '16MB' },
  }
}

/** The rows of a statement, over a connection of its own. */
export async function rows(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}
