import t from 'tap'
import { sql } from '#sql/db.ts'
import { filesStack } from '../support/files-stack.ts'

t.setTimeout(120_000)
const stack = await filesStack(t)
const { send, settled } = stack
const { db, ingress } = stack.base
await stack.startWorkers()

t.test('a public file is delivered', async (t) => {
  const id = (await send('hello there', { filename: 'a b.txt' })).body.object_id as string
  await settled(id)
  t.equal((await fetch(`${ingress.url}/f/${id}/a%20b.txt`)).status, 404)
  await db.query(sql.typeAlias('void')`update files.objects set visibility = 'public' where id = ${id}`)
  const got = await fetch(`${ingress.url}/f/${id}/a%20b.txt`)
  t.equal(got.status, 200)
  t.equal(await got.text(), 'hello there')
  console.log(Object.fromEntries(got.headers))
})
