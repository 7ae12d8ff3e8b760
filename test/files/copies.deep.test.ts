import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { v7 } from 'uuid'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as scanners from '#sql/files/scanners.ts'
import * as scans from '#sql/files/scans.ts'
import { discardIncoming } from '#tasks/files/discard-incoming.ts'
import type { Examination, Scanner } from '#tasks/files/engine.ts'
import { quarantine } from '#tasks/files/quarantine.ts'
import { scan } from '#tasks/files/scan.ts'
import { testClient } from '../support/files-client.ts'
import { put } from '../support/files-stack.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const base = await videoStack(t, { areas: ['files'] })
const { db, store } = base
const { org, keys } = await testOrg(db, ['files:read', 'files:write'], { plan: 'unlimited' })
const { ask, start } = testClient(base, keys.main)
const signal = new AbortController().signal
// biome-ignore lint/suspicious/noExplicitAny: what these tasks do not use is not made.
const tools: any = { db, storage: store.storage, signal, own: (work: any) => db.transaction(work) }

const held = (id: string) => store.list(`files/objects/${id}/`)
const away = (id: string) => store.list(`files/quarantine/${id}/`)
async function find(id: string): Promise<objects.FileObject> {
  const object = await objects.findAny(db, id)
  if (!object) throw new Error('The object is gone.')
  return object
}
const Job = z.object({ jobs: z.number() })
const announced = () =>
  db.oneFirst(sql.type(Job)`
    select count(*)::integer as jobs from jobs_core.jobs where task_identifier = 'files/discard-incoming'`)

/** Uploads and completes, without waiting for the verdict as the answer does. */
async function accept(text: string): Promise<string> {
  const upload = await start(text)
  await put(upload, text)
  answers.push(ask(`POST /v1/files/uploads/${upload.object_id}/complete`, { body: {} }))
  return await until(async () => (await find(upload.object_id)).place === 'held' && upload.object_id)
}

const answers: Promise<unknown>[] = []
t.teardown(() => Promise.all(answers))

/** Runs the open scan of an object with a scanner that says what it is told. */
async function judge(
  id: string,
  status: Examination['status'],
  { signatures = 'one', meanwhile = async () => {}, own = tools.own } = {},
): Promise<void> {
  const scanner: Scanner = {
    versions: async () => ({ engine: 'a scanner', signatures, heuristics: 'h', kind: 'test' }),
    async examine() {
      await meanwhile()
      return { status, sniffedType: null, reasons: [] }
    },
    examineStream: async () => ({ status, sniffedType: null, reasons: [] }),
  }
  const scratch = {
    async attempt() {
      const path = await mkdtemp(join(base.data, 'attempt-'))
      return { path, [Symbol.asyncDispose]: async () => {} }
    },
  }
  const open = (await scans.history(db, id, 9)).find((each) => /pending|scanning/.test(each.status))
  await scan.run({ scanId: open?.id ?? '' }, { ...tools, scanner, scratch, own })
}

async function putAway(id: string): Promise<void> {
  await quarantine.run({ objectId: id, key: (await find(id)).held_key ?? '' }, tools)
  t.equal((await find(id)).place, 'quarantine')
}

const askAgain = (id: string) => ask(`POST /v1/files/objects/${id}/scan`, { body: {} })

t.test('a copy that nobody lived to make an object’s is removed, and neither its bytes nor a fresh copy', async (t) => {
  const id = await accept('three copies')
  const { held_key } = await find(id)
  const old = v7({ msecs: Date.now() - 60 * 60_000 })
  const fresh = `files/objects/${id}/${newId()}`
  const strays = [`files/objects/${id}/${old}`, `files/quarantine/${id}/${old}`, fresh]
  for (const key of strays) await store.storage.put(key, Buffer.from('three copies'), { contentType: 'text/plain' })
  await discardIncoming.run({ objectId: id }, tools)
  t.strictSame((await held(id)).sort(), [held_key, fresh].sort())
  t.strictSame(await away(id), [])
})

t.test('before a copy is made its removal is enqueued, should nobody live to keep it', async (t) => {
  const id = await accept('moved twice')
  await judge(id, 'infected')
  const before = await announced()
  await putAway(id)
  t.equal(await announced(), before + 1, 'into the quarantine')
  await askAgain(id)
  const dies = async (work: (tx: unknown) => Promise<unknown>) => {
    if ((await held(id)).length > 0) throw new Error('power cut')
    return await tools.own(work)
  }
  await t.rejects(judge(id, 'clean', { signatures: 'two', own: dies }), /power cut/)
  t.equal((await held(id)).length, 1)
  t.equal(await announced(), before + 2, 'and out of it')
})

t.test('a release that another verdict overrules leaves its copy nowhere', async (t) => {
  const id = await accept('overruled')
  await judge(id, 'infected')
  await putAway(id)
  await askAgain(id)
  await judge(id, 'clean')
  t.match(await find(id), { scan_status: 'infected', place: 'quarantine' })
  const workers = await base.startWorkers({}, 'core')
  await until(async () => (await held(id)).length === 0, { what: 'the copy is gone' })
  t.strictSame(await away(id), [(await find(id)).held_key])
  await workers.stop()
})

t.test('bytes that were moved while they were read are read again where they lie', async (t) => {
  const id = await accept('moved while read')
  await judge(id, 'clean')
  const other = await accept('moved while read')
  await db.transaction((tx) => scans.open(tx, { id, org_id: org.id }, 'signatures'))
  const meanwhile = async () => {
    await judge(other, 'infected', { signatures: 'two' })
    await putAway(id)
    await askAgain(id)
  }
  await t.rejects(judge(id, 'clean', { meanwhile }), { name: 'Later' })
  await judge(id, 'clean')
  const object = await find(id)
  t.match(object, { scan_status: 'clean', place: 'held' })
  t.ok(await store.storage.head(object.held_key ?? ''), 'and they are there')
})

t.test('what one host’s signatures find infected another’s older ones do not set free, while both scan', async (t) => {
  const note = (name: string, signature_version: string) =>
    scanners.upsert(db, { name, state: 'up', engine: 'a scanner', signature_version, signatures: 'test' })
  await Promise.all([note('first', 'old'), note('second', 'new')])
  const id = await accept('known to one of two')
  await judge(id, 'infected', { signatures: 'new' })
  await askAgain(id)
  await judge(id, 'clean', { signatures: 'old' })
  t.equal((await find(id)).scan_status, 'infected')
  const again = await accept('known to one of two')
  await judge(again, 'clean', { signatures: 'old' })
  t.equal((await find(again)).scan_status, 'infected')

  await askAgain(id)
  await Promise.all([note('first', 'newest'), note('second', 'newest')])
  await judge(id, 'clean', { signatures: 'newest' })
  t.equal((await find(id)).scan_status, 'clean', 'and a set that nobody has any more holds nothing back')
})
