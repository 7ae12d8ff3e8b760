import sharp from 'sharp'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { claimSelfie, releaseSelfie } from '#tasks/identity/rules/face-check.ts'
import { blankPng } from '../support/blank-png.ts'
import { faceStack, framesOf } from '../support/face-stack.ts'
import { sample } from '../support/faces.ts'
import { fieldsOf } from '../support/ingress.ts'
import { ann, documentOf, frameOf } from '../support/selfies.ts'
import { until } from '../support/until.ts'

t.setTimeout(300_000)
const stack = await faceStack(t)
const { ask, person, begun, create, checkOf, challengeOf, selfie } = stack
const { db } = stack.base
await stack.startFaces()
const ofAnn = await documentOf(ann)
const straight = await frameOf(ann, 'centre')
const codeOf = (reply: { status: number; body: { error?: { code: string } } }) => [reply.status, reply.body.error?.code]

t.test('a challenge works once, in time, and only as the newest of its own link', async (t) => {
  const { id, prompt } = await begun('once', ofAnn)
  const first = await challengeOf(prompt)
  const { challenge, poses } = await challengeOf(prompt)
  const frames = await framesOf(ann, poses)
  t.same(codeOf(await selfie(prompt, first.challenge, frames)), [409, 'challenge_expired'], 'replaced')
  t.same(codeOf(await selfie(prompt, null, frames)), [409, 'challenge_expired'])
  t.same(codeOf(await selfie(prompt, challenge, frames.slice(1))), [409, 'wrong_frames'])
  const other = await begun('another', ofAnn)
  await challengeOf(other.prompt)
  t.same(codeOf(await selfie(other.prompt, challenge, frames)), [409, 'challenge_expired'], 'of another link')
  const wrong = [frames[0], ...frames.slice(1).reverse()].filter((one) => one !== undefined)
  const isSame = poses.slice(1).join() === poses.slice(1).reverse().join()
  const reply = await selfie(prompt, challenge, isSame ? frames.map(() => straight) : wrong)
  t.match(reply.body, { outcome: 'try_again', code: 'wrong_pose', attempts_left: 2 }, reply.text)
  t.match(await checkOf(id), { decision: 'match', challenge: { result: 'failed', stops: [] } })
  t.same(codeOf(await selfie(prompt, challenge, frames)), [409, 'challenge_expired'], 'a replay')
  const late = await challengeOf(prompt)
  await db.query(sql.typeAlias('void')`
    update identity.face_checks set challenge_expires_at = now() where id = ${id}`)
  t.same(codeOf(await selfie(prompt, late.challenge, frames)), [409, 'challenge_expired'], 'too late')
})

t.test('after a fault, only the same frames can be sent again, so that nobody gains time', async (t) => {
  const { id, prompt } = await begun('time', ofAnn)
  const { challenge, poses } = await challengeOf(prompt)
  const frames = await framesOf(ann, poses)
  const first = { challenge, frames: 5, hash: 'of other frames' }
  const claimed = await db.transaction((tx) => claimSelfie(tx, id, first))
  t.same(codeOf(await selfie(prompt, challenge, frames)), [409, 'in_progress'])
  await db.transaction((tx) => releaseSelfie(tx, claimed, { again: true }))
  t.same(codeOf(await selfie(prompt, challenge, frames)), [409, 'challenge_expired'])
  const again = await db.transaction((tx) => claimSelfie(tx, id, first))
  t.equal(again.tries, 2, 'a fault of the engine counts as a try')
  await db.transaction((tx) => releaseSelfie(tx, claimed, { again: true, free: true }))
  t.same(codeOf(await selfie(prompt, challenge, frames)), [409, 'in_progress'], 'an older comparison releases nothing')
})

t.test('a challenge that replaces another one during its comparison can be used immediately', async (t) => {
  const { id, prompt } = await begun('replaced', ofAnn)
  const first = await challengeOf(prompt)
  const sending = selfie(prompt, first.challenge, await framesOf(ann, first.poses))
  await until(() =>
    db.exists(sql.typeAlias('void')`
      select from identity.face_checks where id = ${id} and busy_until is not null`),
  )
  const { challenge, poses } = await challengeOf(prompt)
  t.same(codeOf(await sending), [409, 'challenge_expired'])
  t.match((await selfie(prompt, challenge, await framesOf(ann, poses))).body, { outcome: 'submitted' })
  t.match(await checkOf(id), { attempts: 1, challenge: { result: 'passed' } })
})

t.test('frames without one face of one person are refused with advice, and use up no attempt', async (t) => {
  const { id, prompt } = await begun('frames', ofAnn, { challenge: false })
  const crowd = await sharp(sample('sample1')).resize(1_000).jpeg().toBuffer()
  const cases: [Buffer, string][] = [
    [crowd, 'multiple_faces'],
    [blankPng(400, 300), 'no_face_detected'],
    [blankPng(10_000, 10_000), 'image_too_large'],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'unsupported_image_format'],
    [straight.subarray(0, 2_000), 'unreadable_image'],
  ]
  for (const [frame, code] of cases)
    t.match((await selfie(prompt, null, [frame])).body, { outcome: 'try_again', code, attempts_left: 3 }, code)
  t.match(await checkOf(id), { attempts: 0, decision: null, status: 'requires_input' })
  const large = await person(`POST ${prompt}/selfie`, { frames: ['A'.repeat(30_000_000)] })
  t.equal(large.status, 413)
  t.match((await selfie(prompt, null, [straight])).body, { outcome: 'submitted' })
  t.match(await checkOf(id), { decision: 'match', challenge: { required: false, result: 'not_performed', stops: [] } })
})

t.test('a document needs one photo of a person, and another photo can replace it', async (t) => {
  const { prompt } = await create('document', { challenge: false })
  await person(`POST ${prompt}`)
  await stack.showDocument(
    prompt,
    await sharp(await documentOf(ann))
      .extract({ left: 420, top: 0, width: 700, height: 880 })
      .jpeg()
      .toBuffer(),
  )
  t.match((await selfie(prompt, null, [straight])).body, { outcome: 'try_again', code: 'document_no_face_detected' })
  t.match((await stack.showDocument(prompt, ofAnn)).body, { status: 'selfie_needed' })
  t.match((await selfie(prompt, null, [straight])).body, { outcome: 'submitted' })
})

t.test('attempts are limited, and the last result is submitted', async (t) => {
  const { id, prompt } = await begun('three', ofAnn)
  for (const left of [2, 1]) {
    const { challenge, poses } = await challengeOf(prompt)
    t.match(
      (
        await selfie(
          prompt,
          challenge,
          poses.map(() => straight),
        )
      ).body,
      { outcome: 'try_again', attempts_left: left },
    )
  }
  const { challenge, poses } = await challengeOf(prompt)
  t.match(
    (
      await selfie(
        prompt,
        challenge,
        poses.map(() => straight),
      )
    ).body,
    { outcome: 'submitted' },
  )
  t.match(await checkOf(id), { status: 'completed', attempts: 3, challenge: { result: 'failed' }, attempts_left: 0 })
  t.match(codeOf(await person(`POST ${prompt}/challenges`)), [409, 'prompt_used'])
})

t.test('the authority of a link is read again: expired, used, or of a closed organisation', async (t) => {
  const { prompt, id } = await begun('authority', ofAnn)
  const { challenge, poses } = await challengeOf(prompt)
  await db.query(sql.typeAlias('void')`update identity.prompts set expires_at = now() where id = ${id}`)
  t.same(codeOf(await selfie(prompt, challenge, await framesOf(ann, poses))), [409, 'prompt_used'])
  t.same(codeOf(await person(`POST ${prompt}/challenges`)), [409, 'prompt_used'])
  t.equal((await ask(`GET /v1/identity/face-checks/${id}`, { key: '' })).status, 401)
})

t.test('thirty wrong inputs are answered with their fields, never with 500', async (t) => {
  const { prompt } = await begun('wrong', ofAnn)
  const face = 'POST /v1/identity/face-checks'
  const bodies: [string, unknown, string[]][] = [
    [face, { idp_sub: '' }, ['body.idp_sub']],
    [face, { idp_sub: 7 }, ['body.idp_sub']],
    [face, { idp_sub: 'a\u0000' }, ['body.idp_sub']],
    [face, { idp_sub: 'a'.repeat(256) }, ['body.idp_sub']],
    [face, { requirement: 'identity.document' }, ['body.requirement']],
    [face, { requirement: null }, ['body.requirement']],
    [face, { return_to: 'javascript:alert(1)' }, ['body.return_to']],
    [face, { return_to: 'https://a:b@c.example' }, ['body.return_to']],
    [face, { return_to: 'x' }, ['body.return_to']],
    [face, { challenge: 'yes' }, ['body.challenge']],
    [face, { threshold: 0.2 }, ['body.threshold']],
    [face, { threshold: '0.5' }, ['body.threshold']],
    [face, { threshold: 0.71 }, ['body.threshold']],
    [face, { more: 1 }, ['body.more']],
    [face, { threshold: 9, challenge: 1 }, ['body.challenge', 'body.threshold']],
    [face, [], ['body']],
    [`POST ${prompt}/selfie`, {}, ['body.frames']],
    [`POST ${prompt}/selfie`, { frames: [] }, ['body.frames']],
    [`POST ${prompt}/selfie`, { frames: 'AAAA' }, ['body.frames']],
    [`POST ${prompt}/selfie`, { frames: [7] }, ['body.frames.0']],
    [`POST ${prompt}/selfie`, { frames: ['no base64!'] }, ['body.frames.0']],
    [`POST ${prompt}/selfie`, { frames: ['data:image/png,abc'] }, ['body.frames.0']],
    [`POST ${prompt}/selfie`, { frames: ['AAAA', '', 'A'.repeat(2_000_000)] }, ['body.frames.1', 'body.frames.2']],
    [`POST ${prompt}/selfie`, { frames: Array(6).fill('AAAA') }, ['body.frames']],
    [`POST ${prompt}/selfie`, { frames: ['AAAA'], challenge: 'x' }, ['body.challenge']],
    [`POST ${prompt}/selfie`, { frames: ['AAAA'], more: 1 }, ['body.more']],
  ]
  for (const [request, body, fields] of bodies) {
    const reply = await ask(request, { body, ...(request.includes('prompts') && { key: '' }) })
    t.equal(reply.status, 400, `${request} ${JSON.stringify(body).slice(0, 80)}: ${reply.text.slice(0, 200)}`)
    t.same(fieldsOf(reply), fields)
  }
  const lists: [string, number][] = [
    ['?decision=maybe', 400],
    ['?idp_sub=', 400],
    ['?limit=1000', 400],
    ['/not-an-id', 404],
    ['/019a0000-0000-7000-8000-000000000000', 404],
    ['?decision=no_match', 200],
  ]
  for (const [path, status] of lists) t.equal((await ask(`GET /v1/identity/face-checks${path}`)).status, status, path)
  for (const path of ['', '/challenges', '/selfie', '/complete'])
    t.equal((await person(`POST /identity/prompts/forged${path}`, { frames: ['AAAA'] })).status, 404, path)
})
