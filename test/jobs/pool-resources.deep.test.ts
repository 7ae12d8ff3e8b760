import '../support/pools-environment.ts'
import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import t from 'tap'
import { config } from '#lib/config.ts'
import { Storage } from '#lib/storage/storage.ts'
import * as scanners from '#sql/files/scanners.ts'
import { createPoolPlan } from '../../workers/pools.ts'
import { testClamd } from '../support/clamd.ts'
import { testDatabase } from '../support/database.ts'
import { leftovers as look } from '../support/leftovers.ts'
import { data, keepTemporaries } from '../support/pools-environment.ts'
import { until } from '../support/until.ts'
import { storeKeys } from '../support/video-stack.ts'

const { db } = await testDatabase(t)
t.teardown(() => rm(data, { recursive: true, force: true }))
const nowhere = 'http://127.0.0.1:9'
const storage = new Storage({ endpoint: nowhere, publicEndpoint: nowhere, ...storeKeys })
const temporary = keepTemporaries()

t.test('a scanner goes on with a clamd that comes late, and leaves nothing', async (t) => {
  const before = await look(temporary)
  await using ends = new AsyncDisposableStack()
  await createPoolPlan('scan', { db, storage, ends })
  const states = async () => (await scanners.list(db)).map(({ state }) => state)
  await until(async () => (await states()).includes('away'), { what: 'it is told that clamd is away' })
  const socket = config.CLAMD_SOCKET as string
  await mkdir(dirname(socket), { recursive: true })
  const clamd = await testClamd(t)
  await symlink(clamd.socket, socket)
  await until(async () => (await states()).includes('up'), { what: 'clamd is seen', timeout: 30_000 })
  const gauges = async () =>
    (await look(temporary)).gauges.filter((gauge) => /^millrace_engine_queued.*clamd/.test(gauge))
  t.not((await gauges()).length, 0)
  await ends.disposeAsync()
  await ends.disposeAsync()
  t.strictSame(await gauges(), [])
  await clamd.kill()
  t.strictSame((await look(temporary)).intervals, before.intervals)
})

async function threads(): Promise<string[]> {
  const ids = await readdir('/proc/self/task')
  return (await Promise.all(ids.map((id) => readFile(`/proc/self/task/${id}/comm`, 'utf8')))).map((name) => name.trim())
}

t.test('the face engine ends its thread, also one that is still loading', async (t) => {
  for (const isLoaded of [true, false]) {
    await using ends = new AsyncDisposableStack()
    const { tools } = await createPoolPlan('identity', { db, storage, ends })
    if (!('faces' in tools)) throw new Error('The pool lends no engine.')
    const count = (await threads()).length
    const ready = tools.faces.ready()
    ready.catch(() => {})
    await until(async () => (await threads()).length > count, { what: 'its thread runs' })
    if (isLoaded) await ready
    await ends.disposeAsync()
    await ends.disposeAsync()
    await until(async () => (await threads()).length <= count, { what: 'its thread is gone' })
    if (!isLoaded) await t.rejects(ready)
  }
})
