import { randomBytes } from 'node:crypto'
import type { Scope } from '../support/postgres.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'
import type { Served } from './shared-list.ts'

/** Starts all that `npm start` does, for the list; it goes with the test. */
export async function served(t: Scope): Promise<Served> {
  const stack = new Stack(await dataFolder(t), await freePort())
  const { base_url, keys } = await stack.ready(180_000)
  t.teardown(async () => {
    await stack.stop('SIGTERM')
  })
  return { baseUrl: base_url, keys: { ...keys, wrong: `bt_live_${'x'.repeat(40)}` }, given: {} }
}

/** A mark for one run of the list. */
export const newMark = (): string => randomBytes(4).toString('hex')
