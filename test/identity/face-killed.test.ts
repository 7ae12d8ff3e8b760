import t from 'tap'
import { sql } from '#sql/db.ts'
import { faceStack, framesOf } from '../support/face-stack.ts'
import { ann, documentOf } from '../support/selfies.ts'
import { until } from '../support/until.ts'

t.setTimeout(300_000)
const stack = await faceStack(t)
const { begun, checkOf, challengeOf, selfie } = stack
const { db } = stack.base
const workers = await stack.startFaces()

t.test('after a worker was killed in a comparison, the same frames can be sent again', async (t) => {
  const { id, prompt } = await begun('killed', await documentOf(ann))
  const { challenge, poses } = await challengeOf(prompt)
  const frames = await framesOf(ann, poses)
  const sending = selfie(prompt, challenge, frames)
  await until(
    async () =>
      (await db.oneFirst(sql.typeAlias('count')`
        select count(*) from jobs.runs where task = 'identity/check-face' and state = 'running'`)) > 0,
    { timeout: 60_000 },
  )
  workers.kill()
  await stack.startFaces()
  let reply = await sending
  for (let i = 0; i < 10 && reply.status >= 500; i++) reply = await selfie(prompt, challenge, frames)
  t.match(reply.body, { outcome: 'submitted' }, reply.text)
  t.match(await checkOf(id), { status: 'completed', attempts: 1, decision: 'match' })
})
