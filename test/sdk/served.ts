import { randomBytes } from 'node:crypto'
import type { Scope } from '../support/postgres.ts'
import { freePort } from '../support/postgres.ts'
import { dataFolder, Stack } from '../support/stack.ts'
import type { Served } from './shared-list.ts'

/** Starts all that `npm start` does, for the list, until the test ends. Its guard site also accepts SHA-256, with little work. */
export async function served(t: Scope): Promise<Served> {
  const stack = new Stack(await dataFolder(t), await freePort())
  const { base_url, keys, mail_url } = await stack.ready(180_000)
  t.teardown(async () => {
    await stack.stop('SIGTERM')
  })
  await acceptSha256(base_url, keys.guard_server ?? '')
  return { baseUrl: base_url, keys: { ...keys, wrong: `bt_live_${'x'.repeat(40)}` }, given: {}, mailUrl: mail_url }
}

interface Site {
  id: string
  policy: object
}

async function acceptSha256(baseUrl: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const { data } = (await (await fetch(`${baseUrl}/v1/guard/sites`, { headers })).json()) as { data: Site[] }
  const [site] = data
  if (!site) throw new Error('The stack has no guard site.')
  const { id, policy } = site
  const body = JSON.stringify({ policy: { ...policy, sha256: true, min_tier: 'low', max_tier: 'low' } })
  const { status } = await fetch(`${baseUrl}/v1/guard/sites/${id}`, { method: 'PATCH', headers, body })
  if (status !== 200) throw new Error(`The site of the stack cannot be changed: ${status}`)
}

/** A mark for one run of the list. */
export const newMark = (): string => randomBytes(4).toString('hex')
