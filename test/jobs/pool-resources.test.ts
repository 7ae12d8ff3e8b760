import '../support/pools-environment.ts'
import { once } from 'node:events'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import t from 'tap'
import { Storage } from '#lib/storage/storage.ts'
import { openPool } from '#sql/db.ts'
import { type PoolName, poolNames } from '#tasks/pools.ts'
import { createPoolPlan, loadDeclaration } from '../../workers/pools.ts'
import { testDatabase } from '../support/database.ts'
import { leaseholder } from '../support/leaseholder.ts'
import { leftovers as look } from '../support/leftovers.ts'
import { data, files, keepTemporaries, ports } from '../support/pools-environment.ts'
import { storeKeys } from '../support/video-stack.ts'

const { url, db } = await testDatabase(t)
const ended = await openPool(url)
await ended.end()
t.teardown(() => rm(data, { recursive: true, force: true }))
const nowhere = 'http://127.0.0.1:9'
const storage = new Storage({ endpoint: nowhere, publicEndpoint: nowhere, ...storeKeys })
const temporary = keepTemporaries()
const leftovers = () => look(temporary)

/** Records which resources are closed. */
class Ends extends AsyncDisposableStack {
  readonly closers: (() => PromiseLike<void> | void)[] = []
  override defer(close: () => PromiseLike<void> | void): void {
    this.closers.push(close)
    super.defer(close)
  }
}

/** A failure at the start of a pool. `spoil` causes it and returns the repair. */
interface Failure {
  what: string
  spoil?: () => Promise<() => Promise<void>>
  /** True if the database does not respond. */
  isDatabaseGone?: true
  says: RegExp
}

/** Resources of a running pool, and possible failures at its start. */
interface Row {
  programs?: string[]
  listening?: number[]
  failures?: Failure[]
}

const databaseGone: Failure = { what: 'its database is gone', isDatabaseGone: true, says: /connection|pool|ended/i }
const blocked = (folder: string): Failure => ({
  what: `${folder} is a file`,
  spoil: () => replaced(join(data, folder), 'not a folder'),
  says: /ENOTDIR|EEXIST/,
})
const missing = (file: string, says: RegExp): Failure => ({
  what: `${basename(file)} cannot be read`,
  spoil: () => replaced(file),
  says,
})
const taken = (port: number): Failure => ({
  what: 'its port is taken',
  async spoil() {
    const holder = createServer().listen(port, '127.0.0.1')
    await once(holder, 'listening')
    return async () => {
      holder.close()
      await once(holder, 'close')
    }
  },
  says: /EADDRINUSE/,
})

/** All pools. Pools without an entry use no resources at the start. */
const table: Record<PoolName, Row> = {
  core: { failures: [missing(files.root, /ACME_CA_FILE/)] },
  'media-intake': { failures: [blocked('scratch')] },
  media: { failures: [blocked('scratch')] },
  scan: { failures: [blocked('scan-scratch')] },
  images: {},
  'mail-transactional': {},
  'mail-campaign': {},
  webhooks: {},
  calls: {},
  streams: {},
  push: {},
  guard: { failures: [databaseGone] },
  llm: {},
  web: { failures: [blocked('web-scratch')] },
  whatsapp: { failures: [blocked('whatsapp-scratch')] },
  sms: {},
  identity: {},
  'identity-documents': { failures: [blocked('identity-scratch')] },
  voice: { listening: [ports.sip], failures: [databaseGone] },
  live: {
    programs: ['nginx', 'nginx'],
    listening: [ports.origin],
    failures: [taken(ports.origin), missing(files.certificate, /ENOENT/), blocked('scratch')],
  },
  rooms: {
    programs: ['janus'],
    listening: [ports.rooms],
    failures: [taken(ports.rooms), databaseGone, blocked('scratch')],
  },
}

/** Replaces a file, or removes it without `text`. Returns the function that restores it. */
async function replaced(path: string, text?: string): Promise<() => Promise<void>> {
  const aside = `${path}-aside`
  await mkdir(path, { recursive: true }).catch(() => {})
  await rename(path, aside)
  if (text !== undefined) await writeFile(path, text)
  return async () => {
    await rm(path, { force: true })
    await rename(aside, path)
  }
}

const namesOf = (programs: readonly string[]) => programs.map((program) => program.split(' ').at(-1))

t.test('each resource of a pool ends, and ends a second time without a word', async (t) => {
  for (const pool of poolNames) {
    await t.test(pool, async (t) => {
      const { programs = [], listening = [] } = table[pool]
      const declaration = await loadDeclaration<PoolName>(pool)
      const before = await leftovers()
      const ends = new Ends()
      t.equal(await declaration.lacks(), undefined)
      await declaration.tools({ db, storage, ends, workerId: await leaseholder(db, pool) })
      const now = await leftovers()
      const more = now.programs.filter((program) => !before.programs.includes(program))
      t.strictSame(namesOf(more), programs)
      for (const port of listening)
        t.ok(
          now.listening.some((one) => one.endsWith(` ${port}`)),
          `listens on ${port}`,
        )
      for (const close of ends.closers.toReversed()) {
        await t.resolves(Promise.resolve().then(close))
        await t.resolves(Promise.resolve().then(close), 'a second time')
      }
      await t.resolves(ends.disposeAsync())
      t.strictSame(await leftovers(), before)
    })
  }
})

t.test('a pool that fails at its start leaves nothing, and the others as they are', async (t) => {
  // Each runs with one that listens and one that has a program.
  for (const beside of ['rooms', 'live'] as const) {
    await using ends = new AsyncDisposableStack()
    await createPoolPlan(beside, { db, storage, ends })
    for (const pool of poolNames.filter((name) => (name === 'rooms') === (beside === 'live'))) {
      for (const failure of table[pool].failures ?? []) {
        await t.test(`${pool}: ${failure.what}`, async (t) => {
          const before = await leftovers()
          const mend = await failure.spoil?.()
          const given = { db: failure.isDatabaseGone ? ended : db, storage, ends }
          await t.rejects(createPoolPlan(pool, given), { message: failure.says })
          await mend?.()
          t.strictSame(await leftovers(), before)
        })
      }
    }
  }
})

t.test('a SIP port that is taken is replaced by another', async (t) => {
  await using ends = new AsyncDisposableStack()
  for (let i = 0; i < 2; i++) await createPoolPlan('voice', { db, storage, ends })
  const { listening } = await leftovers()
  t.equal(listening.filter((one) => one.startsWith('udp ')).length, 2)
})
