import t from 'tap'
import { z } from 'zod'
import { area } from '../../ingress/http/area.ts'
import { provide, service } from '../../ingress/http/container.ts'
import { route } from '../../ingress/http/route.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'

const closed: string[] = []
let isUp = true

const greeting = service<string>({ name: 'greetings.greeting', open: () => 'hello' })
const greeter = service<(name: string) => string>({
  name: 'greetings.greeter',
  open:
    ({ services }) =>
    (name) =>
      `${services(greeting)}, ${name}`,
  async check() {
    if (!isUp) throw new Error('hoarse')
  },
  async close(greet) {
    closed.push(greet('night'))
  },
})
const unlisted = service<string>({ name: 'greetings.unlisted', open: () => 'never' })
const given = service<string>({ name: 'greetings.given' })

const facts = { method: 'GET', public: true, status: 200, reply: z.object({ text: z.string() }) } as const
const greet = route({
  ...facts,
  path: '/greet',
  summary: 'Greet',
  async handle({ services }) {
    return { text: services(greeter)('you') }
  },
})
const faults = route({
  ...facts,
  path: '/faults',
  summary: 'What is missing',
  async handle({ services }) {
    const messages = [unlisted, given].map((missing) => {
      try {
        return services(missing)
      } catch (error) {
        return (error as Error).message
      }
    })
    return { text: messages.join(' ') }
  },
})
const greetings = area({
  name: 'greetings',
  title: 'Greetings',
  description: 'Greetings.',
  base: '/v1',
  routes: { greetings: { greet, faults } },
  services: [greeter, greeting, given],
})

t.test('an area’s services are opened with the process, checked with it, and closed with it', async (t) => {
  const { db } = await testDatabase(t)
  await t.test('while it runs', async (t) => {
    const { ask } = await testIngress(t, db, [greetings])
    t.equal((await ask('GET /v1/greet')).body.text, 'hello, you')
    t.match((await ask('GET /readyz')).body.parts, { database: 'ok', 'greetings.greeter': 'ok' })
    isUp = false
    t.match((await ask('GET /readyz')).body.error.details, { database: 'ok', 'greetings.greeter': 'away' })
    t.match(
      (await ask('GET /v1/faults')).body.text,
      /unlisted is not listed by any area.*greetings.given was not provided/,
    )
  })
  t.strictSame(closed, ['hello, night'])
})

t.test('one that is provided takes the place of the declared one, and is not closed', async (t) => {
  closed.length = 0
  const { db } = await testDatabase(t)
  await t.test('while it runs', async (t) => {
    const hush = provide(greeter, () => 'hush')
    const { ask } = await testIngress(t, db, [greetings], { services: [hush] })
    t.equal((await ask('GET /v1/greet')).body.text, 'hush')
  })
  t.strictSame(closed, [])
})
