import t from 'tap'
import { getRenewalTime } from '#tasks/video/rules/domains/order-certificate.ts'
import { explainOrder, toAuthorityFault } from '../../workers/core/authority-faults.ts'

const complaint = (type: string, detail = '') => ({ type: `urn:ietf:params:acme:error:${type}`, detail })
const told = (status: number, data: unknown, headers = {}) => toAuthorityFault({ status, data, headers })

t.test('an authority that is at its limit is left alone as long as it says', async (t) => {
  t.match(told(429, complaint('rateLimited', 'too many'), { 'retry-after': '7200' }), {
    kind: 'limited',
    retryMs: 7_200_000,
    message: 'The certificate authority’s limit has been reached: too many',
  })
  const date = new Date(Date.now() + 3_600_000).toUTCString()
  const retryMs = told(503, 'Busy', { 'retry-after': date })?.retryMs ?? 0
  t.ok(retryMs > 3_500_000 && retryMs <= 3_600_000)
  t.equal(told(429, '', { 'retry-after': '99999999' })?.retryMs, 7 * 86_400_000, 'for a week at most')
  t.equal(told(429, '', { 'retry-after': 'soon' })?.retryMs, undefined)
})

t.test('what the authority complains of tells who can mend it', async (t) => {
  t.equal(told(200, {}), undefined)
  t.equal(told(400, complaint('badNonce')), undefined, 'a stale nonce is nobody’s fault')
  t.equal(told(500, '<html>')?.kind, 'away')
  t.equal(told(404, complaint('malformed'))?.kind, 'lost')
  t.equal(told(400, complaint('accountDoesNotExist'))?.kind, 'stranger')
  t.match(told(403, complaint('caa', 'a.example\n forbids it')), {
    kind: 'refused',
    message: 'A CAA record of the domain forbids this certificate authority: a.example forbids it',
  })
  const challenges = [{}, { error: complaint('dns', 'x'.repeat(1000)) }]
  const { kind, message } = explainOrder({ error: complaint('serverInternal', 'the order failed') }, [{ challenges }])
  t.equal(kind, 'refused')
  t.match(message, /could not look up the domain: x{300}$/)
})

t.test(
  'a certificate is renewed 30 days before its end, a short-lived one in its last third, never all at once',
  async (t) => {
    const day = 86_400_000
    const before = (days: number, chance: number) =>
      (days * day - getRenewalTime(new Date(0), new Date(days * day), chance).getTime()) / day
    t.equal(before(90, 0), 30)
    t.equal(before(90, 1), 33)
    t.equal(before(6, 0), 2)
    t.equal(before(365, 0.5), 31.5)
  },
)
