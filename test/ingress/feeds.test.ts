import postman from 'postman-collection'
import { SaxesParser } from 'saxes'
import t from 'tap'
import { changes } from '../../ingress/docs/changelog.ts'
import { testDatabase } from '../support/database.ts'
import { ask, ingressProcess, testIngress } from '../support/ingress.ts'

const { db, url } = await testDatabase(t)
const ingress = await testIngress(t, db)

/** Returns the texts of the elements with this name. Throws if the XML is not well-formed. */
function textsOf(xml: string, wanted: string): string[] {
  const texts: string[] = []
  const parser = new SaxesParser()
  let open = false
  parser.on('opentag', ({ name }) => {
    open = name === wanted
    if (open) texts.push('')
  })
  const add = (text: string) => {
    if (open) texts[texts.length - 1] += text
  }
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('closetag', () => {
    open = false
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.write(xml).close()
  return texts
}

t.test('each section of the changelog has a date, newest first', async (t) => {
  const days = changes().map(({ day }) => day)
  for (const day of days) t.equal(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10), day)
  t.same(days, days.toSorted().toReversed())
  t.equal(new Set(days).size, days.length)
})

t.test('the feed of the changelog has an entry per date, with links that work', async (t) => {
  const { status, text } = await ingress.ask('GET /docs/changelog.atom')
  t.equal(status, 200)
  t.equal(textsOf(text, 'id').length, changes().length + 1)
  const contents = textsOf(text, 'content').join('')
  const links = [...contents.matchAll(/href="([^"#]*)/g)].map(([, link = '']) => link)
  t.ok(links.length > 20)
  for (const link of new Set(links)) {
    t.ok(link.startsWith(`${ingress.url}/`), link)
    t.equal((await ingress.ask(`GET ${link.slice(ingress.url.length)}`)).status, 200, link)
  }
  t.equal((await ingress.ask('GET /docs/changelog')).headers.get('location'), '/docs/guides/changelog')
})

t.test('the Postman collection has every operation, with URLs that Postman can read', async (t) => {
  const { body, headers } = await ingress.ask('GET /docs/postman.json')
  t.match(headers.get('content-disposition'), /postman_collection\.json/)
  const collection = new postman.Collection(body)
  t.equal(collection.variables.get('base_url'), ingress.url)
  const requests: string[] = []
  collection.forEachItem(({ request }) => {
    const path = request.url.getPath({ unresolved: true }).replaceAll(/:(\w+)/g, '{$1}')
    requests.push(`${request.method} ${path}`)
  })
  const { paths } = (await ingress.ask('GET /v1/openapi.json')).body
  const listed = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((verb) => `${verb.toUpperCase()} ${path}`),
  )
  t.same(requests.toSorted(), listed.toSorted())
})

t.test('security.txt has the contact of the operator', async (t) => {
  t.equal((await ingress.ask('GET /.well-known/security.txt')).status, 404)
  const settings = { SECURITY_CONTACT: 'security@example.com' }
  const base = await ingressProcess(t, url, '../../ingress/areas.ts', settings)
  const { status, headers, text } = await ask(base, 'GET /.well-known/security.txt')
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
  const fields = Object.fromEntries(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/, 2)),
  )
  t.match(fields, { Contact: 'mailto:security@example.com', 'Preferred-Languages': 'en' })
  const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000
  t.ok(days > 100 && days < 365, fields.Expires)
})
