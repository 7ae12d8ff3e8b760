import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { receivedStack } from './received-stack.ts'

t.setTimeout(240_000)

const [count, kills] = isWhole ? [40, 2] : [12, 1]

t.test('a worker that is killed while it reads mail loses none, and tells of none twice', async (t) => {
  const stack = await receivedStack(t)
  const { db, org } = stack
  await stack.take('*@shop.example')
  let worker = await stack.startWorkers()
  const mail = (i: number) =>
    [
      'From: ada@people.example',
      `Subject: ${i}`,
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      '',
      `Text ${i}`,
      '--b',
      `Content-Disposition: attachment; filename=${i}.txt`,
      '',
      `File ${i}`,
      '--b--',
      '',
    ].join('\r\n')
  const brought = await Promise.all(
    Array.from({ length: 4 }, async (_, part) => {
      const replies: string[] = []
      for (let i = part; i < count; i += 4) replies.push(await stack.bring(`r${i}@shop.example`, mail(i)))
      return replies
    }),
  )
  t.ok(brought.flat().every((reply) => reply.startsWith('250 ')))
  const states = sql.type(z.object({ status: z.string(), mails: z.number() }))`
    select status, count(*) as mails from email.received group by status`
  const inStatus = async (status: string) => (await db.any(states)).find((one) => one.status === status)?.mails ?? 0
  for (let kill = 0; kill < kills; kill++) {
    await until(async () => (await inStatus('read')) + (await inStatus('told')) > 3 * (kill + 1), { every: 5 })
    await worker.kill()
    worker = await stack.startWorkers()
  }
  await stack.received(count)
  const subjects = (await stack.told()).map(({ subject }) => Number(subject))
  t.same(
    subjects.toSorted((a, b) => a - b),
    Array.from({ length: count }, (_, i) => i),
  )
  const objects = sql.typeAlias('count')`
    select count(*) from files.objects where org_id = ${org.id} and scan_status = 'clean' and deleted_at is null`
  await until(async () => (await db.oneFirst(objects)) === count, { timeout: 60_000, what: 'all files are clean' })
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from files.objects where org_id = ${org.id}`), count)
})
