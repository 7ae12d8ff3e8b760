import '../support/moving-environment.ts'
import t from 'tap'
import { keys } from './providers.ts'
import { movingStack } from './stack.ts'

const { customer, source } = await movingStack(t)
const { answers } = source

t.test('objects that a list repeats do not replace later objects', async (t) => {
  const one = await customer()
  const page = (name: string, count: number) => Array.from({ length: count }, (_, n) => ({ id: `${name}${n}` }))
  const people = [...page('a', 60), ...page('a', 40), ...page('b', 30)]
  answers.set('/contacts', ({ searchParams }) => {
    const isFirst = !searchParams.has('after')
    const data = (isFirst ? people.slice(0, 100) : people.slice(100)).map(({ id }) => ({
      id,
      email: `${id}@a.example`,
    }))
    return { body: { object: 'list', has_more: isFirst, data: isFirst ? data : [...data, { ...data[0], id: 'last' }] } }
  })
  const { body } = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['contacts'] })
  t.match(await one.reaches(body.id, 'ready', 'failed'), { status: 'ready', found: 91 })
})

t.test('a template that cannot be read does not stop the others', async (t) => {
  const one = await customer()
  const ids = ['gone', 'strange', 'good']
  source.resendList(
    '/templates',
    ids.map((id) => ({ id })),
  )
  answers.set('/templates/strange', () => ({ body: { id: 'strange', name: 7 } }))
  answers.set('/templates/good', () => ({
    body: { id: 'good', name: 'Good', subject: 'S', html: '<p>{{{NAME}}}</p>' },
  }))
  const { body } = await one.start({ provider: 'resend', api_key: keys.resend, parts: ['templates'] })
  t.match(await one.reaches(body.id, 'ready', 'failed'), { status: 'ready', found: 3, invalid: 2 })
  t.match(await one.rows(body.id), [
    { external_id: 'gone', outcome: 'invalid', reason: /404/ },
    { external_id: 'strange', outcome: 'invalid', reason: /name is invalid/ },
    { external_id: 'good', outcome: null },
  ])
})

t.test('names of JavaScript in templates are ordinary names', async (t) => {
  const one = await customer()
  const html = '<p>{{{constructor}}} {{{toString}}}</p>'
  const templates = [
    { id: 'proto', name: 'Names', subject: 'S', html, variables: [] },
    { id: 'block', name: 'Block', subject: 'S', html: '{{#constructor a b}}x{{/constructor}}' },
  ]
  const { status, body } = await one.start({ provider: 'resend', templates })
  t.equal(status, 202)
  await one.reaches(body.id, 'ready')
  t.match(await one.rows(body.id), [
    { external_id: 'proto', outcome: null },
    {
      external_id: 'block',
      outcome: 'invalid',
      issues: [{ text: '{{#constructor a b}}', issue: /no equivalent/ }, {}],
    },
  ])
})

t.test('a person who has unsubscribed in any line of a file is unsubscribed', async (t) => {
  const one = await customer()
  const csv = 'email,unsubscribed\nann@a.example,false\nann@a.example,true\nbob@a.example,false'
  const { body } = await one.start({ provider: 'resend', csv, part: 'contacts', dry_run: false })
  await one.reaches(body.id, 'finished')
  t.match((await one.ask('GET /send/v1/contacts/ann@a.example')).body, { status: 'unsubscribed' })
  t.match((await one.ask('GET /send/v1/contacts/bob@a.example')).body, { status: 'unconfirmed' })
})

t.test('translated names keep the values that the message had at the provider', async (t) => {
  const one = await customer()
  const template = (id: string, html: string) => ({
    ...{ id, name: id, versions: [{ active: 1, subject: 'S', html_content: html, plain_content: '' }] },
  })
  const templates = [
    template('names', '<p>{{FIRST_NAME}}{{#with person}}{{name}}{{else}}{{other}}{{/with}}</p>'),
    template('outer', '{{#each a}}{{#each b}}{{../@index}}{{/each}}{{/each}}'),
  ]
  const { body } = await one.start({ provider: 'sendgrid', templates, dry_run: false })
  await one.reaches(body.id, 'finished')
  t.match(await one.rows(body.id, '&outcome=invalid'), [{ external_id: 'outer', issues: [{ text: '{{../@index}}' }] }])
  const [{ id }] = (await one.ask('GET /send/v1/templates')).body.data
  const preview = async (variables: object) =>
    (await one.ask(`POST /send/v1/templates/${id}/preview`, { body: { variables } })).body.html
  t.match(await preview({ FIRST_NAME: 'Ann', other: 'Bob' }), /AnnBob/)
})
