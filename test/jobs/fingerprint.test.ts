import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { childEnvironment } from '#lib/config.ts'
import { maskFields, maskSecrets, maskText } from '#lib/mask.ts'
import { fingerprint } from '../../workers/runtime/fingerprint.ts'

t.test('errors of one kind share a fingerprint, others do not', async (t) => {
  const alike = [
    [
      "Error: ENOENT: no such file or directory, open '/var/scratch/0198f3a2-7c1e-7abc-8def-0123456789ab/a.mp4'",
      "Error: ENOENT: no such file or directory, open '/srv/scratch/b'",
    ],
    [
      'TransientEngineError: The media tool did not finish within 30 s. ← Error: exit 7',
      'TransientEngineError: The media tool did not finish within 4500 s. ← Error: exit 12',
    ],
    [
      'Error: connect ECONNREFUSED 10.0.0.1:5432 for org 0198f3a2-7c1e-7abc-8def-0123456789ab',
      'Error: connect ECONNREFUSED 10.20.30.4:6000 for org 0198f3a2-7c1e-7abc-8def-ffffffffffff',
    ],
    ['Error: GET https://one.example/a?b=1 answered 502', 'Error: GET http://two.example/ answered 503'],
    ['Error: no mailbox "ann@one.example" here', 'Error: no mailbox "bob" here'],
    ['Error: refused by bob@two.example', 'Error: refused by ann.lee@one.example'],
    ['NoSuchKey: assets/77aa11bb/x.ts in bucket b1', 'NoSuchKey: assets/99ff00cc/x.ts in bucket b2'],
  ] as const
  for (const [one, other] of alike) t.equal(fingerprint(one), fingerprint(other))
  const prints = new Set(alike.map(([one]) => fingerprint(one)))
  t.equal(prints.size, alike.length)
  t.equal(fingerprint("Error: can't read the user's file"), "Error: can't read the user's file", 'words stay')
  t.ok(fingerprint('x '.repeat(100_000)).length <= 300)
})

t.test('secrets are masked and the rest stays', async (t) => {
  const secrets = {
    'connect to postgres://millrace:hunter2hunter2@db:5432/x failed': 'hunter2',
    'authorization: Bearer abcdefghijklmnop was refused': 'abcdefghijklmnop',
    'key bt_live_0123456789abcdefABCDEF is revoked': '0123456789abcdefABCDEF',
    'signed with whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw': 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'GET /o?X-Amz-Signature=deadbeef0123&x=1': 'deadbeef0123',
    '{"password": "open sesame", "user": "ann"}': 'open sesame',
    'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl': 'c2lnbmF0dXJl',
    'GET /v1/stream/play/eyJzaWQiOiIwMWEyIn0.c2lnbmF0dXJl/x.m3u8 is 404': 'c2lnbmF0dXJl',
    'client_secret=s3cr3tvalue&grant=x': 's3cr3tvalue',
  }
  for (const [text, secret] of Object.entries(secrets)) t.notMatch(maskText(text), secret, text)
  t.match(maskText('{"password": "open sesame", "user": "ann"}'), 'ann')
  t.equal(maskText('Error: no luck with 7 files at 10:30'), 'Error: no luck with 7 files at 10:30')
})

t.test('the same names and shapes are masked in text, in JSON and in log lines', async (t) => {
  const names = [
    'authorization',
    'cookie',
    'refresh_token',
    'clientSecret',
    'password',
    'x-api-key',
    'accessKey',
    'signature',
  ]
  for (const name of names) {
    t.notMatch(maskText(`${name}=hush123`), /hush/, name)
    t.same(maskSecrets({ [name]: 'hush123', user: 'ann' }), { [name]: '[masked]', user: 'ann' })
    t.same(maskFields({ a: { b: { [name]: 'hush123' } } }), { a: { b: { [name]: '[masked]' } } })
  }
  const shaped = [
    'https://a:hush123@host/',
    'Basic aHVzaDpodXNo',
    'bt_hush12345678',
    'sk_hush12345678',
    'AKIAHUSH123456789012',
    'https://s/o?X-Amz-Signature=hush123',
    '-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----',
  ]
  for (const text of shaped) {
    t.notMatch(maskText(text), /hush|aHVzaD/i, text)
    for (const _ of [1, 2]) t.equal(maskSecrets(text), '[masked]', text)
  }
  for (const text of ['held_key is files/1', 'key: 7', 'otp or pin']) t.equal(maskText(text), text)
})

t.test('a log line without secrets is logged as it is; an error with one stays an error', async (t) => {
  const plain = { operation: 'a', err: new Error('no luck') }
  t.equal(maskFields(plain), plain)
  const error = Object.assign(new Error('refused'), { config: { headers: { Authorization: 'Bearer hush' } } })
  const { err } = maskFields({ err: error })
  t.ok(err instanceof Error)
  t.match({ message: err.message, stack: err.stack }, { message: 'refused', stack: error.stack })
  t.same(err.config.headers, { Authorization: '[masked]' })
  t.equal(error.config.headers.Authorization, 'Bearer hush', 'the error itself is left alone')
  const endless: { token: string; self?: object } = { token: 'hush' }
  endless.self = endless
  t.match(maskFields(endless), { token: '[masked]', self: { token: '[masked]' } })
})

t.test('the logger masks what a line, an error and a child logger carry', async (t) => {
  const code = `const { log } = await import('#lib/log.ts')
    const err = Object.assign(new Error('refused'), { config: { headers: { authorization: 'hush' } } })
    log.info({ err, token: 'hush' }, 'a line')
    log.child({ secret: 'hush' }).child({ api_key: 'hush' }).info('of a child')`
  const env = childEnvironment({ LOG_LEVEL: 'info' })
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  t.notMatch(stdout, /hush/)
  t.match(
    stdout,
    /"stack":"Error: refused\\n.*"token":"\[masked\]".*a line"}\n.*"secret":"\[masked\]","api_key":"\[masked\]"/,
  )
})
