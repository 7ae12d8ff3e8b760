import '../support/verify-environment.ts'
import t from 'tap'
import type { Locks } from '#sql/account/keys.ts'
import { phoneNumber, phoneStack } from './phone-stack.ts'

t.setTimeout(240_000)
// No worker runs, so no code is right.
const stack = await phoneStack(t)

const cases: Record<string, Locks> = {
  from_domains: { from_domains: ['shop.example.com'] },
  site_id: { site_id: '0198f1c2-7f00-7000-8000-000000000048' },
  calls: { calls: false },
}

for (const [name, locks] of Object.entries(cases))
  t.test(`a key with the lock ${name} reaches only its own verifications`, async (t) => {
    const shop = await stack.customer()
    await shop.set({ resend_after: 5 })
    const as = { key: await shop.lockedKey(locks) }
    const to = phoneNumber()
    const own = (await shop.start(to, {}, as)).body.id as string
    const other = (await shop.start(to)).body.id as string
    const code = '000000'
    const listed = async (query: string, options = {}) =>
      (await shop.ask(`GET /v1/verify${query}`, options)).body.data.map(({ id }: { id: string }) => id)

    t.same(await listed('', as), [own])
    t.same(await listed(`?to=${encodeURIComponent(to)}`, as), [own])
    for (const request of [`GET /v1/verify/${other}`, `POST /v1/verify/${other}/cancel`])
      t.match(await shop.ask(request, as), { status: 404, body: { error: { code: 'not_found' } } }, request)
    t.equal((await shop.ask(`POST /v1/verify/${other}/resend`, { ...as, body: {} })).status, 404)
    t.equal((await shop.check({ id: other, code }, as)).status, 404)
    t.match(await shop.check({ to, code }, as), { status: 200, body: { id: own, attempts_left: 4 } }, 'its latest one')
    t.equal((await shop.check({ to: phoneNumber(), code }, as)).status, 404)
    t.match(await shop.read(other), { status: 'pending', attempts_left: 5 }, 'no attempt was used up')

    t.equal((await shop.ask(`GET /v1/verify/${own}`, as)).status, 200)
    t.match(await shop.ask(`POST /v1/verify/${own}/resend`, { ...as, body: {} }), {
      status: 429,
      body: { error: { code: 'resend_too_early' } },
    })
    t.match(await shop.ask(`POST /v1/verify/${own}/cancel`, as), { status: 200, body: { status: 'canceled' } })
    t.same(await listed(''), [other, own], 'a key without locks reaches all')
    t.match(await shop.check({ to, code }), { body: { id: other, status: 'pending' } })
  })
