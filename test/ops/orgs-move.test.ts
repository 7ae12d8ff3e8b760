import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { newId } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import { holdMove } from '#sql/account/move/lock.ts'
import * as moves from '#sql/account/move/moves.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { testDatabase } from '../support/database.ts'
import { commandLine } from '../support/millrace.ts'
import { storeKeys, testStore } from '../support/video-stack.ts'

t.setTimeout(300_000)
const [a, b, store] = await Promise.all([testDatabase(t), testDatabase(t), testStore(t)])
const folder = t.testdir({})

const s3 = (endpoint: string) => ({
  endpoint,
  bucket: storeKeys.bucket,
  access_key: storeKeys.accessKey,
  secret_key: storeKeys.secretKey,
})

const file = join(folder, 'cells.json')
const cells = {
  a: { url: 'http://127.0.0.1:1', database_url: a.url, s3: s3(store.url) },
  // The same store by another of its names.
  b: { url: 'http://127.0.0.1:1', database_url: b.url, s3: s3(store.url.replace('127.0.0.1', 'localhost')) },
}
await writeFile(file, JSON.stringify({ cells }), { mode: 0o600 })

/** Runs a command like operators of cell a. */
const { run: millrace } = commandLine(a.url, { CELL: 'a', CELLS_FILE: file, SIGNING_SECRET: 's'.repeat(32) })

/** Has it done, or tells why not. */
async function done(t: Test, line: string): Promise<void> {
  const said = await millrace(line)
  t.equal(said.code, 0, said.err)
}

const orgOf = async (name: string) => (await orgs.insert(a.db, { name, plan: 'free' })).id

const facts = (orgId: string, cell: string) => ({
  id: newId(),
  org_id: orgId,
  cell,
  objects: 'shared' as const,
  started_by: 'test',
})

const stateOf = async (db: DatabasePool, orgId: string) => (await moves.list(db, orgId)).map(({ state }) => state)

t.test('a bucket that both cells have is one, whatever each calls it', async (t) => {
  const orgId = await orgOf('one')
  await done(t, `orgs move ${orgId} --to b --same-secret`)
  t.match(await moves.list(a.db, orgId), [{ state: 'moved', objects: 'shared' }])
  t.same(await store.list('incoming/'), [])
})

t.test('a command that ended when one cell alone knew of its move is gone on with', async (t) => {
  const orgId = await orgOf('half')
  await moves.begin(b.db, { ...facts(orgId, 'a'), state: 'incoming' })
  await done(t, `orgs move ${orgId} --to b --same-secret`)
  t.same([await stateOf(a.db, orgId), await stateOf(b.db, orgId)], [['moved'], ['arrived']])

  const other = await orgOf('given up')
  await moves.begin(b.db, { ...facts(other, 'a'), state: 'incoming' })
  await done(t, `orgs move ${other} --to b --abort`)
  t.same([await stateOf(a.db, other), await stateOf(b.db, other)], [[], ['aborted']])
})

t.test('a move that was given up can be cleared away when the command that did so has ended', async (t) => {
  const orgId = await orgOf('left')
  const move = facts(orgId, 'b')
  await moves.begin(a.db, { ...move, state: 'aborted' })
  await moves.begin(b.db, { ...move, cell: 'a', state: 'aborting' })
  await b.db.query(sql.typeAlias('void')`insert into account.orgs (id, name, plan) values (${orgId}, 'left', 'free')`)
  t.match(await millrace(`orgs move ${orgId} --to b --same-secret`), {
    code: 1,
    err: /cancelled move. Delete them with --abort/,
  })
  await done(t, `orgs move ${orgId} --to b --abort`)
  t.equal(await orgs.find(b.db, orgId), null)
  t.same([await stateOf(a.db, orgId), await stateOf(b.db, orgId)], [['aborted'], ['aborted']])
})

t.test('who is held for a move is not closed, and who is closed does not move', async (t) => {
  const orgId = await orgOf('closing')
  await moves.begin(a.db, { ...facts(orgId, 'b'), state: 'paused' })
  t.match(await millrace(`orgs close ${orgId}`), { code: 1, err: /being moved to another cell/ })
  t.equal(await closures.find(a.db, orgId), null)
})

t.test('the doctor tells of a move whose command has ended, and of none that is being carried on', async (t) => {
  const orgId = await orgOf('stopped')
  const move = { ...facts(orgId, 'b'), state: 'paused' as const }
  await moves.begin(a.db, move)
  const said = await millrace('doctor --only moves --json')
  t.match(said, { code: 1, out: `organisation ${orgId} to cell b (paused)` })
  const held = await holdMove(a.db, orgId, () => millrace('doctor --only moves --json'))
  t.notMatch(held, { out: orgId })
  await moves.advance(a.db, move.id, ['paused'], 'aborted')
  t.notMatch(await millrace('doctor --only moves --json'), { out: orgId })
})
