import { hash, randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { newId } from '#lib/ids.ts'
import { hashSecret } from '#lib/tokens.ts'
import { sql } from '#sql/db.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import type { Reply } from '../support/ingress.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { isWhole } from '../support/sample.ts'
import { answerOf, type Challenge, solve } from './solver.ts'
import { guardScopes, guardStack, page } from './stack.ts'

t.setTimeout(240_000)
const stack = await guardStack(t)
const stranger = await testOrg(stack.db, guardScopes)
const [site, sibling, foreign] = await Promise.all([
  stack.site({ sha256: true }),
  stack.site(),
  stack.site({}, stranger.keys.main),
])

/** Where the visitor of each challenge is: each somewhere else, as who errs again and again is denied. */
const addresses = new Map<string, string>()

const issue = async (headers: Record<string, string> = {}, action = 'signup'): Promise<Challenge> => {
  const address = `203.0.113.${(addresses.size % 250) + 1}`
  const { status, body, text } = await site.visit('challenges', { action }, { 'x-forwarded-for': address, ...headers })
  if (status !== 201 || body.alg !== 'scrypt') throw new Error(`${status} ${text}`)
  addresses.set(body.id, address)
  return body
}
const complete = ({ id }: { id: string }, answer: unknown, headers: Record<string, string> = {}) => {
  const address = addresses.get(id)
  const from = address === undefined ? {} : { 'x-forwarded-for': address }
  return site.visit(`challenges/${id}/complete`, { answer }, { ...from, ...headers })
}
const earn = async (action = 'signup'): Promise<string> => {
  const challenge = await issue({}, action)
  const { body, text } = await complete(challenge, stack.answer(challenge))
  if (!body.token) throw new Error(text)
  return body.token
}
const passes = ({ body }: Reply) => body?.token !== undefined || body?.valid === true

interface Attack {
  name: string
  /** What it must get: a status, the code of an error, or the reason of a verdict. */
  expected: number | string
  run(): Promise<Reply>
  /** What must be so afterwards. */
  after?: (t: Test) => Promise<void>
}

const attacks: Attack[] = []
const attack = (name: string, expected: Attack['expected'], run: Attack['run'], after?: Attack['after']) =>
  attacks.push({ name, expected, run, ...(after && { after }) })

await stack.stock(150)

const bytes = (text: string) => Buffer.from(text, 'base64url')
const text = (given: Uint8Array) => Buffer.from(given).toString('base64url')
const flipped = (answer: string, at: number, bit: number) => {
  const copy = bytes(answer)
  copy[at] = (copy[at] as number) ^ bit
  return text(copy)
}
const wrong: Record<string, (challenge: Challenge, answer: string) => unknown> = {
  'a byte': () => 'AA',
  'all zeros': () => text(Buffer.alloc(32)),
  'random bytes': () => text(randomBytes(32)),
  'an answer without its last byte': (_, answer) => text(bytes(answer).subarray(0, 31)),
  'an answer without its first byte': (_, answer) => text(bytes(answer).subarray(1)),
  'an answer with a byte more': (_, answer) => text(Buffer.concat([bytes(answer), Buffer.alloc(1)])),
  'an answer twice': (_, answer) => text(Buffer.concat([bytes(answer), bytes(answer)])),
  'an answer with its first bit flipped': (_, answer) => flipped(answer, 0, 128),
  'an answer with its last bit flipped': (_, answer) => flipped(answer, 31, 1),
  'an answer backwards': (_, answer) => text(bytes(answer).reverse()),
  'an answer in hexadecimal': (_, answer) => bytes(answer).toString('hex'),
  'the hash of the answer': (_, answer) => hash('sha256', bytes(answer), 'base64url'),
  'the nonce': ({ nonce }) => nonce,
  'the checks': ({ puzzles }) => text(Buffer.concat(puzzles.map(({ check }) => bytes(check)))),
  'the bases': ({ puzzles }) => text(new Uint8Array(Uint32Array.from(puzzles, ({ base }) => base).buffer)),
  'the hash of whole outputs': (challenge) => hash('sha256', Buffer.concat(stack.outputs(challenge)), 'base64url'),
  'outputs in another order': (challenge) => answerOf(stack.outputs(challenge).reverse()),
  'outputs without the last': (challenge) => answerOf(stack.outputs(challenge).slice(0, 7)),
  'one output eight times': (challenge) => answerOf(Array(8).fill(stack.outputs(challenge)[0])),
  'the same numbers with another nonce': (challenge) => answerOf(stack.outputs(challenge, text(randomBytes(16)))),
}
for (const [name, answer] of Object.entries(wrong)) {
  let challenge: Challenge
  attack(name, 'wrong_answer', async () => {
    challenge = await issue()
    return await complete(challenge, answer(challenge, stack.answer(challenge)))
  })
  attack(`${name}, then the right answer`, 'challenge_spent', () => complete(challenge, stack.answer(challenge)))
}

const malformed: Record<string, (answer: string) => unknown> = {
  'no bytes': () => '',
  'a number': () => 1,
  nothing: () => null,
  'a list with the answer': (answer) => [answer],
  'an object with the answer': (answer) => ({ answer }),
  'other letters for the same bytes': (answer) => answer.slice(0, -1) + String.fromCharCode(answer.charCodeAt(42) + 1),
  'padded base64': (answer) => `${answer}=`,
  'a space before it': (answer) => ` ${answer}`,
  'a line end behind it': (answer) => `${answer}\n`,
  'a zero character behind it': (answer) => `${answer}\0`,
  'a thousand bytes': () => text(randomBytes(1_000)),
}
for (const [name, answer] of Object.entries(malformed)) {
  attack(name, 400, async () => {
    const challenge = await issue()
    return await complete(challenge, answer(stack.answer(challenge)))
  })
}
attack('eight kilobytes', 413, async () => complete(await issue(), 'A'.repeat(8_192)))
for (const field of ['tier', 'action', 'expires_at', 'solve_ms', 'site_id']) {
  attack(`an answer with a ${field} of the visitor's own`, 400, async () => {
    const challenge = await issue()
    return await site.visit(`challenges/${challenge.id}/complete`, { answer: stack.answer(challenge), [field]: 'low' })
  })
}

attack('the answer to another challenge', 'wrong_answer', async () => {
  const [one, other] = [await issue(), await issue()]
  return await complete(one, stack.answer(other))
})
attack('halves of two challenges', 'wrong_answer', async () => {
  const [one, other] = [await issue(), await issue()]
  return await complete(one, answerOf([...stack.outputs(one).slice(0, 4), ...stack.outputs(other).slice(4)]))
})
attack('an answer again', 'challenge_spent', async () => {
  const challenge = await issue()
  await complete(challenge, stack.answer(challenge))
  return await complete(challenge, stack.answer(challenge))
})
attack('a late answer', 'challenge_expired', async () => {
  const challenge = await issue()
  await stack.expire('challenges', challenge.id)
  return await complete(challenge, stack.answer(challenge))
})
attack('an answer before any challenge', 404, () => complete({ id: newId() }, text(randomBytes(32))))
for (const id of ['..%2f..%2fsites', '0', `${newId()}%00`, `${newId()}'--`]) {
  attack(`an id such as ${id}`, 404, () => complete({ id }, text(randomBytes(32))))
}

/** Attacks by another: the visitor whose challenge it is must be able to answer it yet. */
function attackOnAnother(name: string, expected: Attack['expected'], run: (challenge: Challenge) => Promise<Reply>) {
  let challenge: Challenge
  attack(
    name,
    expected,
    async () => {
      challenge = await issue(visitor)
      return await run(challenge)
    },
    async (t) => {
      const own = { 'x-forwarded-for': '2001:db8:1:2:ffff::1' }
      t.ok(passes(await complete(challenge, stack.answer(challenge), own)), `${name}: its visitor's answer counts`)
    },
  )
}
const visitor = { 'x-forwarded-for': '2001:db8:1:2::7' }
const from = (address: string) => (challenge: Challenge) =>
  complete(challenge, stack.answer(challenge), { 'x-forwarded-for': address })
attackOnAnother('from another network', 403, from('2001:db8:1:3::7'))
attackOnAnother('from an IPv4 address', 403, from('198.51.100.7'))
attackOnAnother('with an address forged before our own', 403, from('2001:db8:1:2::7, 198.51.100.7'))
attackOnAnother('with an address that is none', 403, from('2001:db8:1:2::7, unknown'))
attackOnAnother('from this machine itself', 403, (challenge) => complete(challenge, stack.answer(challenge)))
const byKey = (key: string) => (challenge: Challenge) =>
  stack.ask(`POST /v1/guard/challenges/${challenge.id}/complete`, {
    key,
    body: { answer: stack.answer(challenge) },
    headers: { ...visitor, origin: page },
  })
attackOnAnother('with the key of a sibling site', 404, byKey(sibling.key))
attackOnAnother('with the key of another organisation', 404, byKey(foreign.key))
attackOnAnother('with a server key', 403, byKey(stack.key))
attackOnAnother('with no page', 403, ({ id, nonce }) =>
  stack.ask(`POST /v1/guard/challenges/${id}/complete`, {
    key: site.key,
    body: { answer: stack.answer({ nonce }) },
    headers: visitor,
  }),
)
attack('from the next IPv4 address', 403, async () => {
  const challenge = await issue({ 'x-forwarded-for': '198.51.100.7' })
  return await from('198.51.100.8')(challenge)
})

const origins = [
  'null',
  'http://shop.example.com',
  `${page}:8443`,
  `${page}.evil.example`,
  'https://evil.example',
  `${page}/`,
]
for (const origin of [
  ...origins,
  'https://shop.example.com.',
  'https://SHOP.example.com',
  `${page}, https://evil.example`,
]) {
  attack(`a challenge for a page on ${origin}`, 403, () => site.visit('challenges', { action: 'signup' }, { origin }))
}
for (const [name, body] of Object.entries({
  'a tier of the visitor’s choice': { action: 'signup', tier: 'low' },
  'a range of the visitor’s choice': { action: 'signup', range: 1 },
  'a nonce of the visitor’s choice': { action: 'signup', nonce: 'AAAA' },
  'a longer life': { action: 'signup', expires_at: '2999-01-01T00:00:00Z' },
  'another site': { action: 'signup', site_id: sibling.id },
  'no algorithm': { action: 'signup', alg: 'none' },
  'no action': {},
  'an action of 65 letters': { action: 'a'.repeat(65) },
  'an action with a zero character': { action: 'signup\0' },
})) {
  attack(`a challenge with ${name}`, 400, () => site.visit('challenges', body))
}
attack('a challenge by a server key', 403, () => stack.ask('POST /v1/guard/challenges', { body: { action: 'signup' } }))
attack('SHA-256 where the site takes scrypt only', 403, async () => {
  const strict = await stack.site()
  return await strict.visit('challenges', { action: 'signup', alg: 'sha256' })
})

const easy = async (): Promise<Challenge> => {
  const { body } = await site.visit('challenges', { action: 'signup', alg: 'sha256' })
  await stack.db.query(sql.typeAlias('void')`update guard.challenges set bits = 8 where id = ${body.id}`)
  return { ...body, bits: 8 }
}
const counters: Record<string, (challenge: Challenge, solved: Buffer) => Buffer | Promise<Buffer>> = {
  'counters all zero': () => Buffer.alloc(200),
  'a counter too few': (_, solved) => solved.subarray(0, 196),
  'a counter too many': (_, solved) => Buffer.concat([solved, solved.subarray(0, 4)]),
  'counters in another order': (_, solved) => Buffer.concat([solved.subarray(4), solved.subarray(0, 4)]),
  'the first counter fifty times': (_, solved) => Buffer.concat(Array(50).fill(solved.subarray(0, 4))),
  'counters for a bit less': (challenge) => bytes(solve({ ...challenge, bits: 5 })),
  'counters of another challenge': async () => bytes(solve(await easy())),
  'one counter wrong': (_, solved) => Buffer.concat([Buffer.from([255, 255, 255, 255]), solved.subarray(4)]),
}
for (const [name, answer] of Object.entries(counters)) {
  attack(name, 'wrong_answer', async () => {
    const challenge = await easy()
    return await complete(challenge, text(await answer(challenge, bytes(solve(challenge)))))
  })
}
attack('a scrypt answer to SHA-256', 'wrong_answer', async () => {
  return await complete(await easy(), stack.answer(await issue()))
})
attack('counters as an answer to scrypt', 'wrong_answer', async () => {
  return await complete(await issue(), solve(await easy()))
})

const token = await earn()
const forged: Record<string, string> = {
  'an id of a challenge': (await issue()).id,
  'a nonce': (await issue()).nonce,
  'a random token': text(randomBytes(32)),
  'the stored hash of a token': hashSecret(token),
  'a token without its last letter': token.slice(0, -1),
  'a token with a letter more': `${token}A`,
  'a token in capitals': token.toUpperCase(),
  'a token with a space': `${token} `,
  'a token twice': token + token,
}
for (const [name, given] of Object.entries(forged)) attack(name, 'unknown', () => stack.verify(given))
attack('a token of 3,000 letters', 400, () => stack.verify('A'.repeat(3_000)))
attack('no token', 400, () => stack.verify(''))
attack('a token with a zero character', 400, () => stack.verify(`${token}\0`))
attack('a token for another action', 'action_mismatch', () => stack.verify(token, 'login'))
attack('a token for the beginning of its action', 'action_mismatch', () => stack.verify(token, 'sign'))
attack('a token for its action in capitals', 400, () => stack.verify(token, 'SIGNUP'))
attack('a token of a sibling site', 'unknown', () => stack.verify(token, 'signup', { site_id: sibling.id }))
attack('a token of another organisation', 'unknown', () =>
  stack.ask('POST /v1/guard/tokens/verify', { key: stranger.keys.main, body: { token, action: 'signup' } }),
)
attack('a site key that verifies', 403, () =>
  stack.ask('POST /v1/guard/tokens/verify', { key: site.key, body: { token, action: 'signup' } }),
)
attack('a site key that manages', 403, () => stack.ask('GET /v1/guard/sites', { key: site.key }))

attack('a token again', 'replayed', async () => {
  if (!passes(await stack.verify(token))) throw new Error('One of the attacks before has spent the token.')
  return await stack.verify(token)
})
attack('a token again with a key', 'replayed', () => stack.verify(token, 'signup', { idempotency_key: 'a' }))
attack('a token that is spent and over', 'replayed', async () => {
  await stack.expire('tokens', hashSecret(token))
  return await stack.verify(token)
})
attack('a late token', 'expired', async () => {
  const late = await earn()
  await stack.expire('tokens', hashSecret(late))
  return await stack.verify(late)
})

t.test(`none of ${attacks.length} attacks passes, and each is told why`, async (t) => {
  t.ok(attacks.length >= 60)
  for (const { name, expected, run, after } of attacks) {
    const reply = await run()
    const found = [reply.status, reply.body?.error?.code, reply.body?.reason]
    t.ok(!passes(reply) && found.includes(expected), `${name}: ${expected}, not ${found}`)
    await after?.(t)
  }
})

t.test('fifty answers at once earn one token, with wrong ones among them at most one', async (t) => {
  const [right, mixed] = [await issue(), await issue()]
  const all = await Promise.all(Array.from({ length: 50 }, () => complete(right, stack.answer(right))))
  t.equal(all.filter(passes).length, 1)
  const answers = Array.from({ length: 50 }, (_, i) => (i % 2 ? stack.answer(mixed) : text(randomBytes(32))))
  t.ok((await Promise.all(answers.map((answer) => complete(mixed, answer)))).filter(passes).length <= 1)
})

t.test('no puzzle is given to two visitors at once', async (t) => {
  await stack.db.query(sql.typeAlias('void')`delete from guard.stock`)
  await stack.stock(20)
  await stack.db.query(sql.typeAlias('void')`update guard.stock set nonce = 'A' || lpad(id::text, 20, 'A') || 'A'`)
  const given = await Promise.all(Array.from({ length: 40 }, () => site.visit('challenges', { action: 'signup' })))
  const puzzles = given.filter(({ body }) => body.alg === 'scrypt').map(({ body }) => body.nonce)
  t.equal(puzzles.length, 20)
  t.equal(new Set(puzzles).size, 20)
})

t.test('hundreds of calls at once on two processes spend a token exactly once', async (t) => {
  const count = isWhole ? 1_000 : 200
  await stack.stock(1)
  const raced = await earn()
  const second = await testIngress(t, stack.db, [], { services: [provide(signingSecret, 's'.repeat(32))] })
  const ask = { key: stack.key, body: { token: raced, action: 'signup' } }
  const calls = Array.from({ length: count }, (_, i) =>
    (i % 2 ? second : stack.ingress).ask('POST /v1/guard/tokens/verify', ask),
  )
  const replies = await Promise.all(calls)
  t.same(
    [replies.filter(passes).length, replies.filter(({ body }) => body.reason === 'replayed').length],
    [1, count - 1],
  )
  const replays = await stack.db.oneFirst(sql.typeAlias('count')`
    select replays as count from guard.tokens where hash = ${hashSecret(raced)}`)
  t.equal(replays, count - 1)
})
