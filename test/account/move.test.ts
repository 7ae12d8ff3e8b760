import t from 'tap'
import { newId } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import * as moved from '#sql/account/moved.ts'
import { readMovedTables } from '#sql/account/move-tables.ts'
import * as moves from '#sql/account/moves.ts'
import { type DatabasePool, sql } from '#sql/db.ts'
import { close } from '#tasks/account/close.ts'
import { abortMove, beginMove } from '#tasks/account/rules/move/begin.ts'
import { compare } from '#tasks/account/rules/move/compare.ts'
import { moveOrganisation } from '#tasks/account/rules/move/move.ts'
import { bringPeople } from '#tasks/account/rules/move/people.ts'
import { type Moving, stays } from '#tasks/account/rules/move/plan.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { testOrg } from '../support/ingress.ts'
import { filler } from './every-table.ts'

t.setTimeout(180_000)
const [here, there] = [await testDatabase(t), await testDatabase(t)]
const all = await filler(here.url)
t.teardown(all.end)
const other = await filler(there.url)
t.teardown(other.end)
const tables = await readMovedTables(here.db, stays)

const manner = { actor: 'test', mostSeconds: 60, handSeconds: 5, heedMs: 0 }

function movingOf(orgId: string): Moving {
  return {
    move: { id: newId(), org_id: orgId, objects: 'shared' },
    source: { name: 'a', db: here.db, storage: undefined },
    target: { name: 'b', db: there.db, storage: undefined },
    tables,
    tell: () => {},
  }
}

async function fullOrg() {
  const made = await testOrg(here.db, ['account:audit'])
  await all.fill(made.org.id)
  await here.db.query(sql.typeAlias('void')`update voice.calls set ended_at = now()`)
  await here.db.query(sql.typeAlias('void')`update rooms.broadcasts set ended_at = now()`)
  await here.db.query(sql.typeAlias('void')`update rooms.rooms set ended_at = now()`)
  await here.db.query(sql.typeAlias('void')`delete from live.sessions`)
  return made
}

const countOf = (db: DatabasePool, orgId: string) =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from account.orgs where id = ${orgId}`)

t.test('all rows of an organisation with rows in every table are the same in the other cell', async (t) => {
  const { org } = await fullOrg()
  await fullOrg()
  await other.fill((await testOrg(there.db)).org.id)
  const moving = movingOf(org.id)
  for (let i = 0; i < 3; i++) {
    await here.db.transaction((tx) =>
      audit.append(tx, { orgId: org.id, actor: { kind: 'operator', id: null, name: 'x' }, action: 'key.created' }),
    )
  }
  const due = new Date(Date.now() + 3_600_000)
  await enqueue(here.db, close, {}, { orgId: org.id, at: due, key: 'mine', priority: 7 })
  await beginMove(moving, 'test')
  const rows = await moveOrganisation(moving, manner)
  t.ok(Object.keys(rows).length > 110, `${Object.keys(rows).length} tables`)
  const { differing } = await compare(moving, await bringPeople(moving))
  t.same([...differing.keys()].map(({ name }) => name), ['jobs.runs', 'jobs.failures'].filter((name) => [...differing.keys()].some((one) => one.name === name)))
  t.equal((await moves.find(here.db, moving.move.id))?.state, 'moved')
  t.equal((await moves.find(there.db, moving.move.id))?.state, 'arrived')
  t.match(await moved.movedOrg(here.db, org.id), { cell: 'b' })
})
