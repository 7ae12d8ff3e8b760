import '../support/identity-environment.ts'
import t from 'tap'
import { get, signedIn } from '../app/fixture.ts'
import { emittedTo } from '../support/emitted.ts'
import { faceStack, framesOf } from '../support/face-stack.ts'
import { ann, ben, documentOf, frameOf } from '../support/selfies.ts'

t.setTimeout(300_000)
const stack = await faceStack(t)
const { ask, person, begun, create, checkOf, challengeOf, selfie } = stack
await stack.startFaces()
const [ofAnn, ofBen] = await Promise.all([documentOf(ann), documentOf(ben)])

t.test(
  'a person agrees, shows the document, turns the head as asked, and the result waits for a decision',
  async (t) => {
    const { id, prompt, reply } = await create('ann')
    t.match(reply, { status: 201, body: { status: 'requires_input', decision: null, attempts_left: 3 } }, reply.text)
    t.match((await person(`GET ${prompt}`)).text, /Step 1 of 3[\s\S]*I agree/)
    t.match(await stack.showDocument(prompt, ofAnn), { status: 409, body: { error: { code: 'wrong_step' } } })
    t.equal((await person(`POST ${prompt}`)).status, 303)
    t.match((await person(`GET ${prompt}`)).text, /Step 2 of 3/)
    t.match((await stack.showDocument(prompt, ofAnn)).body, { status: 'selfie_needed' })
    t.match((await person(`GET ${prompt}`)).text, /Step 3 of 3[\s\S]*video replay, a deepfake or a mask/)
    const { challenge, poses } = await challengeOf(prompt)
    t.equal(poses.length, 5)
    t.equal(poses[0], 'centre')
    const sent = await selfie(prompt, challenge, await framesOf(ann, poses))
    t.match(sent, { status: 200, body: { outcome: 'submitted' } }, sent.text)
    t.match(await checkOf(id), {
      status: 'completed',
      decision: 'match',
      challenge: {
        result: 'passed',
        stops: ['printed_photo', 'still_image'],
        does_not_stop: ['video_replay', 'deepfake', 'mask'],
      },
      reasons: [],
      attempts: 1,
      selfies_stored: false,
    })
    t.match((await person(`GET ${prompt}`)).text, /Thank you\. This step is complete/)
    const status = await ask('GET /v1/identity/status?idp_sub=ann&product=face')
    t.match(status.body.checks, [{ requirement: 'identity.face', status: 'processing' }])
    const events = emittedTo(stack.orgId).filter(({ type }) => type === 'identity.face_check.completed')
    t.match(events, [{ data: { id, decision: 'match', challenge: { result: 'passed' } } }])
  },
)

t.test('another person, a still image, and a change of the person are found', async (t) => {
  const other = await begun('other', ofBen)
  const first = await challengeOf(other.prompt)
  const still = await frameOf(ann, 'centre')
  const sent = await selfie(
    other.prompt,
    first.challenge,
    first.poses.map(() => still),
  )
  t.match(sent.body, { outcome: 'try_again', attempts_left: 2 }, sent.text)
  const found = await checkOf(other.id)
  t.match(found, { status: 'requires_input', decision: 'no_match', challenge: { result: 'failed', stops: [] } })
  t.match(found.reasons[0], { code: 'different_face', frame: null })
  t.match(found.reasons[1], { code: 'wrong_pose', frame: 2 })
  const second = await challengeOf(other.prompt)
  const frames = await framesOf(ben, second.poses)
  frames[2] = await frameOf(ann, second.poses[2] ?? 'left')
  const changed = await selfie(other.prompt, second.challenge, frames)
  t.match(changed.body, { outcome: 'try_again', code: 'other_person', attempts_left: 1 }, changed.text)
  t.match((await checkOf(other.id)).reasons, [{ code: 'other_person', frame: 3 }])
})

t.test('a member sees the comparison, the turns and what they do not stop, and decides', async (t) => {
  const { db, ingress } = stack.base
  const owner = await signedIn(db, ingress.url, stack.orgId, 'owner')
  const listed = await get(ingress.url, '/app/identity', owner)
  const path = /href="(\/app\/identity\/[0-9a-f-]{36})"/.exec(listed.text)?.[1] ?? ''
  const shown = await get(ingress.url, path, owner)
  t.equal(shown.status, 200)
  t.match(
    shown.text,
    /Comparison[\s\S]*match[\s\S]*Turns of the head[\s\S]*passed[\s\S]*video replay, a deepfake or a mask/,
  )
  const verified = await ask('POST /v1/identity/checks', {
    body: { idp_sub: 'ann', requirement: 'identity.face', status: 'verified' },
  })
  t.match(verified.body, { status: 'verified' })
})
