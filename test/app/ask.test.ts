import t from 'tap'
import { z } from 'zod'
import { getRoleScopes } from '#tasks/account/rules/roles.ts'
import { area } from '../../ingress/http/area.ts'
import { formPage } from '../../ingress/http/dashboard/page.ts'
import { route } from '../../ingress/http/route.ts'
import { conflict } from '../../lib/errors.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { get, signedIn, submit } from './fixture.ts'

const Made = z.object({ org: z.string(), key: z.string(), name: z.string() })

const create = route({
  method: 'POST',
  path: '/things',
  summary: 'Make a thing',
  scope: 'email:manage',
  limit: { perMinute: 5, by: 'org' },
  body: z.strictObject({ name: z.string().min(3) }),
  status: 201,
  reply: Made,
  problems: ['conflict'],
  async handle({ org, key, body: { name } }) {
    if (name === 'twice') throw conflict('There is one of that name.')
    return { org: org.id, key: key.id, name }
  },
})

const { show, submit: send } = formPage({
  path: '/things',
  summary: 'Things',
  fields: z.looseObject({ name: z.string() }),
  async view({ filled, fault }) {
    return { title: 'Things', main: `${fault ?? 'no fault'} / ${JSON.stringify(filled.faults)}` }
  },
  async submit({ ask, given }) {
    return { to: '/app', told: JSON.stringify(await ask(create, { body: given }, Made)) }
  },
})

const own = area({
  name: 'things',
  title: 'Things',
  description: 'Of this test.',
  base: '/v1',
  routes: { things: { create } },
  dashboard: { pages: { pages: { show, send } } },
})

const { db } = await testDatabase(t)
const { url } = await testIngress(t, db, [own], { only: ['app', 'account'] })

t.test(
  'a page asks an operation as a client does, for its own organisation and by one key without a secret',
  async (t) => {
    const { org } = await testOrg(db, [])
    const developer = await signedIn(db, url, org.id, 'developer')
    const told = async (name: string) => {
      t.equal((await submit(url, '/app/things', developer, { name })).status, 303)
      const { text } = await get(url, '/app', developer)
      return Made.parse(JSON.parse(/\{&quot;.*\}/.exec(text)?.[0].replaceAll('&quot;', '"') ?? ''))
    }
    const [first, second] = [await told('first'), await told('second')]
    t.match(first, { org: org.id, name: 'first' })
    t.equal(first.key, second.key)
    const answer = await ask(url, 'POST /v1/things', { key: `dashboard ${org.id}`, body: { name: 'third' } })
    t.equal(answer.status, 401)
  },
)

t.test('what the API refuses is told on the form: faults, conflicts, scopes, limits', async (t) => {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  t.notOk(getRoleScopes('viewer').includes('email:manage'))
  const short = await submit(url, '/app/things', developer, { name: 'a', colour: 'red' })
  t.equal(short.status, 400)
  t.match(short.text, /body.name: must have at least 3.*body.colour: /s)
  t.match((await submit(url, '/app/things', developer, { name: 'twice' })).text, 'There is one of that name.')
  const refused = await submit(url, '/app/things', viewer, { name: 'first' })
  t.equal(refused.status, 403)
  t.match(refused.text, 'does not have the `email:manage` scope')
  const tried = await Promise.all(
    Array.from({ length: 8 }, () => submit(url, '/app/things', developer, { name: 'more' })),
  )
  t.ok(tried.some(({ status }) => status === 429))
})
