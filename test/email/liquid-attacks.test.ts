import { performance } from 'node:perf_hooks'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as templates from '#sql/email/templates.ts'
import { fieldsOf, type Reply } from '../support/ingress.ts'
import { message, type Sender, sending } from './sending.ts'

t.setTimeout(240_000)
const { db, sender, ingress } = await sending(t)
const one = await sender()
let made = 0

const issueOf = ({ body }: Reply): string =>
  (body.error?.details ?? []).map(({ field, issue }: Record<string, string>) => `${field} ${issue}`).join('; ')

/** Adds a template without the checks of the API, as if it was stored by another release. */
async function add(own: Sender, html: string, more: Partial<templates.NewTemplate> = {}): Promise<string> {
  const alias = `attack-${++made}`
  const content = { subject: 'S', html, text: 'T', mjml: null, uses: [] as string[], variables: [] as string[] }
  const row = {
    id: newId(),
    org_id: own.orgId,
    kind: 'email' as const,
    syntax: 'liquid' as const,
    name: alias,
    alias,
    test_data: null,
    ...content,
  }
  await templates.insert(db, { ...row, ...more })
  return alias
}
const use = (own: Sender, template: string, variables: object = {}) =>
  own.send({ subject: undefined, text: undefined, template, variables })
const burning = '{% for i in (1..40000) %}{% for j in (1..40000) %}{% endfor %}{% endfor %}'

const spaces = `${' '.repeat(400_000)}x`
const attacks: [string, string, object, RegExp][] = [
  ['a huge range', '{% for i in (1..1000000000) %}x{% endfor %}', {}, /memory/],
  ['a range without end', `{{ (1..${'9'.repeat(300)}) | size }}`, {}, /memory/],
  ['loops in loops', burning, {}, /takes (too long|more than)/],
  [
    'a text that doubles',
    `{% assign a = "xxxxxxxx" %}{% for i in (1..60) %}{% assign a = a | append: a %}{% endfor %}`,
    {},
    /memory/,
  ],
  ['a text that replaces itself', '{{ s | replace: "x", s }}', { s: 'x'.repeat(20_000) }, /memory/],
  ['a date as wide as the memory', '{{ "now" | date: "%999999999d" }}', {}, /memory/],
  [
    'ten thousands of branches',
    `{% case x %}${'{% when 1 %}a'.repeat(100_000)}{% endcase %}`,
    { x: 5 },
    /more than 2 seconds/,
  ],
  ['nesting that fills the stack', `{{ a${'[a'.repeat(20_000)}${']'.repeat(20_000)} }}`, { a: 1 }, /nested too deep/],
  ['a result of many megabytes', `{% for i in (1..3000) %}${'x'.repeat(1_000)}{% endfor %}`, {}, /longer than/],
  ['constructors', '{{ a.constructor.constructor }}', { a: {} }, /a\.constructor.* is required/],
  [
    'prototypes',
    '{{ a.__proto__ }} {{ __proto__.x }}',
    { a: {} },
    /a\.__proto__ is required.*__proto__\.x is required/,
  ],
  ['what scopes inherit', '{{ constructor }}{{ toString }}{{ hasOwnProperty }}', {}, /constructor is required/],
  ['files', '{% include "/etc/passwd" %}', {}, /tag "include" not found/],
  ['files as partials', '{% render "/etc/passwd" %}{% layout "../package.json" %}', {}, /does not exist/],
  ['tags left out', '{% liquid assign x = 1 %}{% increment x %}', {}, /not found/],
  ['filters left out', '{{ a | where_exp: "x", "x.y" }}', { a: [] }, /undefined filter/],
]

t.test('an attack is refused by name, and the service goes on', async (t) => {
  for (const [name, html, variables, expected] of attacks) {
    const refused = await use(one, await add(one, html), variables)
    t.equal(refused.status, 400, `${name}: ${refused.status}`)
    t.match(issueOf(refused), expected, name)
  }
  const trimmed = await use(
    one,
    await add(one, '{{ s | rstrip | size }} {{ s | strip | size }} {{ s | squish | size }}'),
    { s: spaces },
  )
  t.equal(trimmed.status, 202, 'spaces without end are trimmed in time')
  t.equal((await use(one, await add(one, 'fine {{ a }}'), { a: 1 })).status, 202)
})

t.test('partials that use themselves, and layouts in a circle, end', async (t) => {
  const part = { kind: 'partial' } as const
  await add(one, 'A {% render "self" %}', { ...part, alias: 'self', uses: ['self'] })
  await add(one, '{% layout "ring-b" %}', { kind: 'layout', alias: 'ring-a', uses: ['ring-b'] })
  await add(one, '{% layout "ring-a" %}', { kind: 'layout', alias: 'ring-b', uses: ['ring-a'] })
  for (const name of ['self', 'ring-a']) {
    const tag = name === 'self' ? 'render' : 'layout'
    const refused = await use(one, await add(one, `{% ${tag} "${name}" %}`, { uses: [name] }))
    t.match([refused.status, issueOf(refused)], [400, /more than 10 levels deep/], name)
  }
  for (let i = 0; i < 60; i++)
    await add(one, i === 0 ? 'end' : `{% render "chain-${i - 1}" %}`, {
      ...part,
      alias: `chain-${i}`,
      uses: i === 0 ? [] : [`chain-${i - 1}`],
    })
  const long = await use(one, await add(one, '{% render "chain-59" %}', { uses: ['chain-59'] }))
  t.match([long.status, issueOf(long)], [400, /more than 50/])
})

t.test('a template that burns its time affects its own message only', async (t) => {
  const other = await sender()
  const [burns, fine, others] = [await add(one, burning), await add(one, 'ok'), await add(other, 'ok')]
  const mail = { ...message(one.domain), subject: undefined, text: undefined }
  const messages = [fine, burns, fine].map((template) => ({ ...mail, template }))
  const batch = await one.ask('POST /send/v1/messages/batch', { body: { messages } })
  t.match([batch.status, batch.body.accepted, batch.body.refused], [202, 2, 1])
  t.match(batch.body.data[1].error.details, [
    { field: 'body.messages.1.template', issue: /takes (too long|more than)/ },
  ])
  const attack = Promise.all(Array.from({ length: 6 }, () => use(one, burns)))
  const took: number[] = []
  for (let i = 0; i < 5; i++) {
    const start = performance.now()
    t.equal((await use(other, others)).status, 202)
    t.equal((await ingress.ask('GET /send/v1/templates', { key: other.key })).status, 200)
    took.push(performance.now() - start)
  }
  t.ok(Math.min(...took) < 900, `another organisation waits ${took.map(Math.round)} ms`)
  for (const refused of await attack) t.match([refused.status, issueOf(refused)], [400, /takes/])
})

t.test('variables have limits of depth and size', async (t) => {
  const template = await add(one, '{{ a }}')
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) })
  t.match(issueOf(await use(one, template, { a: 1, deep: nested(25) })), /body\.variables must have at most 20 levels/)
  t.match(
    issueOf(await use(one, template, { a: 'x'.repeat(600_000) })),
    /body\.variables must have at most 524288 characters/,
  )
  t.match(issueOf(await use(one, template, { a: { b: 1 } })), /is an object/)
  t.equal((await use(one, template, { a: [1, [2, 'x']], more: nested(15) })).status, 202)
})

const form = { name: 'N', subject: 'S', html: '<p>x</p>', syntax: 'liquid' }
const bad: [object, string][] = [
  [{ syntax: 'mustache' }, 'body.syntax'],
  [{ syntax: null }, 'body.syntax'],
  [{ kind: 'page' }, 'body.kind'],
  [{ kind: 7 }, 'body.kind'],
  ...['', 'A', '1a', 'a b', 'a/b', 'ä', 'x'.repeat(101), 7, [], {}].map((alias): [object, string] => [
    { alias },
    'body.alias',
  ]),
  [{ alias: 'a1b2c3d4-0000-4000-8000-000000000000' }, 'body.alias'],
  [{ kind: 'partial', subject: undefined }, 'body.alias'],
  [{ kind: 'layout', alias: 'l' }, 'body.subject'],
  [{ kind: 'partial', alias: 'l', subject: undefined, syntax: 'placeholders' }, 'body.syntax'],
  [{ subject: undefined }, 'body.subject'],
  [{ html: undefined }, 'body.html'],
  [{ html: '' }, 'body.html'],
  [{ mjml: '<mjml></mjml>' }, 'body.mjml'],
  [{ mjml: 7, html: undefined }, 'body.mjml'],
  [{ mjml: '', html: undefined }, 'body.mjml'],
  [{ mjml: '<mjml><mj-body></mj-body></mjml>'.repeat(2), html: undefined, name: '' }, 'body.name'],
  ...[
    '{% if a %}',
    '{% endif %}',
    '{{ a',
    '{% nothing %}',
    '{{ a | nothing }}',
    '{% for x %}{% endfor %}',
    '{% render x %}',
    '{% render "../x" %}',
    '{% render "none" %}',
    '{% layout %}',
    '{% block a %}',
    '{% assign %}',
    '{% include "a" %}',
    '{% case %}{% endcase %}',
  ].map((html): [object, string] => [{ html }, 'body.html']),
  [{ text: '{% if %}' }, 'body.text'],
  [{ subject: '{{ a | }} {% x %}' }, 'body.subject'],
  [{ test_data: [] }, 'body.test_data'],
  [{ test_data: 'x' }, 'body.test_data'],
  [{ test_data: { a: 'x'.repeat(70_000) } }, 'body.test_data'],
  [{ uses: [] }, 'body.uses'],
  [{ variables: [] }, 'body.variables'],
]

t.test('each invalid field of a template is named', async (t) => {
  for (const [given, field] of bad) {
    const refused = await one.ask('POST /send/v1/templates', { body: { ...form, ...given } })
    const name = JSON.stringify(given).slice(0, 100)
    t.same([refused.status, fieldsOf(refused)], [400, [field]], `${name}: ${refused.text.slice(0, 300)}`)
  }
  const first = await one.ask('POST /send/v1/templates', { body: { ...form, alias: 'taken' } })
  const second = await one.ask('POST /send/v1/templates', { body: { ...form, alias: 'taken' } })
  t.match([first.status, second.status, second.body.error.code], [201, 409, 'alias_taken'])
  const { id } = (await one.ask('POST /send/v1/templates', { body: { ...form, alias: 'free' } })).body
  t.equal(
    (await one.ask(`PATCH /send/v1/templates/${id}`, { body: { alias: 'taken' } })).body.error.code,
    'alias_taken',
  )
  const drafted = async (body: object) => fieldsOf(await one.ask(`PATCH /send/v1/templates/${id}/draft`, { body }))
  t.same(await drafted({}), ['body'])
  t.same(await drafted({ alias: 'x', name: 'y' }), ['body.alias'])
  t.same(await drafted({ html: '{% if %}', text: '{{ x' }), ['body.html', 'body.text'])
  t.same(fieldsOf(await one.send({ template: 'taken', template_id: id, subject: undefined, text: undefined })), [
    'body.template',
  ])
  for (const template of ['', 'A', 7, null, {}])
    t.same(
      fieldsOf(await one.send({ template, subject: undefined, text: undefined })),
      ['body.template'],
      String(template),
    )
  const other = await sender()
  for (const call of ['GET draft', 'PATCH draft', 'DELETE draft', 'POST publish']) {
    const [method, what] = call.split(' ')
    const body = method === 'PATCH' ? { body: { name: 'x' } } : {}
    t.equal((await other.ask(`${method} /send/v1/templates/${id}/${what}`, body)).status, 404, call)
  }
  t.same(fieldsOf(await use(other, 'taken')), ['body.template'], 'an alias belongs to its organisation')
  t.equal(await db.oneFirst(sql.typeAlias('count')`select count(*) from email.template_drafts`), 0)
})
