import t from 'tap'
import { solve } from './solver.ts'
import { guardStack, page } from './stack.ts'

const stack = await guardStack(t)
const site = await stack.site()

t.test('a challenge is solved, and its token is good once', async (t) => {
  await stack.stock(1)
  const challenge = await site.visit('challenges', { action: 'signup' })
  t.match(
    challenge,
    { status: 201, body: { alg: 'scrypt', n: 1024, range: 16, tier: 'low', action: 'signup' } },
    challenge.text,
  )
  t.equal(challenge.headers.get('cache-control'), 'no-store')
  const earned = await site.visit(`challenges/${challenge.body.id}/complete`, { answer: solve(challenge.body) })
  t.match(earned, { status: 200, body: { action: 'signup', tier: 'low' } }, earned.text)
  const first = await stack.verify(earned.body.token)
  t.match(first.body, { valid: true, action: 'signup', hostname: new URL(page).hostname, tier: 'low' })
  const second = await stack.verify(earned.body.token)
  t.match(second.body, { valid: false, reason: 'replayed' }, second.text)
})

t.test('with an empty stock the challenge is made of SHA-256', async (t) => {
  const challenge = await site.visit('challenges', { action: 'signup' })
  t.match(challenge, { status: 201, body: { alg: 'sha256', count: 50, bits: 14 } }, challenge.text)
  const earned = await site.visit(`challenges/${challenge.body.id}/complete`, { answer: solve(challenge.body) })
  t.match(await stack.verify(earned.body.token), { body: { valid: true } }, earned.text)
})
