import t from 'tap'
import { fingerprint } from '#lib/fingerprint.ts'
import { maskText } from '#lib/mask-text.ts'

t.test('errors of one kind share a fingerprint, others do not', async (t) => {
  const alike = [
    [
      "Error: ENOENT: no such file or directory, open '/var/scratch/0198f3a2-7c1e-7abc-8def-0123456789ab/a.mp4'",
      "Error: ENOENT: no such file or directory, open '/srv/scratch/b'",
    ],
    [
      'EngineTrouble: The media tool did not finish within 30 s. ← Error: exit 7',
      'EngineTrouble: The media tool did not finish within 4500 s. ← Error: exit 12',
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
