import t from 'tap'
import { z } from 'zod'
import { hashSecret, keyPrefixes, looksLikeKey, makeKey, signToken, verifyToken } from '../../lib/tokens.ts'

t.test('keys have a known prefix and 256 random bits', async (t) => {
  for (const prefix of keyPrefixes) {
    const key = makeKey(prefix)
    t.match(key, new RegExp(`^${prefix}[A-Za-z0-9]{43}$`))
    t.ok(looksLikeKey(key))
  }
  t.equal(new Set(Array.from({ length: 1000 }, () => makeKey('bt_live_'))).size, 1000)
  for (const text of [
    '',
    'bt_live_',
    'xx_live_0123456789abcdef0123',
    `bt_live_${'a'.repeat(200)}`,
    'bt_live_ä0123456789abcdef',
  ]) {
    t.notOk(looksLikeKey(text), text)
  }
})

t.test('what is kept of a secret is its SHA-256', async (t) => {
  t.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

t.test('a signed token is good for its purpose, time and secret only', async (t) => {
  const Payload = z.object({ viewer: z.string() })
  const now = Date.now()
  const token = signToken('playback', { viewer: 'v1', exp: Math.floor(now / 1000) + 60 }, 'secret')
  t.match(token, /^[\w-]+\.[\w-]+$/)
  t.strictSame(verifyToken('playback', token, 'secret', Payload), { viewer: 'v1' })
  t.equal(verifyToken('playback', token, 'secret', Payload, now + 61_000), null, 'over')
  t.equal(verifyToken('live', token, 'secret', Payload), null, 'another purpose')
  t.equal(verifyToken('playback', token, 'other', Payload), null, 'another secret')
  t.equal(verifyToken('playback', token, 'secret', z.object({ room: z.string() })), null, 'another shape')
  const [body = '', mac = ''] = token.split('.')
  const forged = Buffer.from(JSON.stringify({ viewer: 'v2' })).toString('base64url')
  for (const bad of [
    '',
    '.',
    body,
    `${body}.`,
    `${forged}.${mac}`,
    `${body}.${mac}.x`,
    `${body}.${mac.slice(1)}`,
    `${mac}.${body}`,
  ]) {
    t.equal(verifyToken('playback', bad, 'secret', Payload), null, bad)
  }
})
