import { existsSync } from 'node:fs'
import axe from 'axe-core'
import MiniSearch from 'minisearch'
import t from 'tap'
import { sections } from '#lib/config.ts'
import { canRole, permissions } from '#tasks/account/rules/roles.ts'
import { scopes } from '#tasks/account/rules/scopes.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import { renderGuide } from '../../ingress/docs/markdown.ts'
import { docsPolicy } from '../../ingress/http/openapi/viewer.ts'
import { standardProblems } from '../../ingress/http/problem-kinds.ts'
import { chromiumPath, keepPicture, startBrowser, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'
import { sample } from '../support/sample.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`

// biome-ignore lint/suspicious/noExplicitAny: JSON of any shape.
type Json = any

const roles = ['owner', 'admin', 'developer', 'viewer'] as const

const { db } = await testDatabase(t)
const { ask, url } = await testIngress(t, db)

interface Page {
  status: number
  type: string
  policy: string
  text: string
}

const linksOf = ({ type, text }: Page): string[] =>
  type.startsWith('text/html') ? [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, href = '']) => href) : []

async function read(path: string): Promise<Page> {
  const { status, text, headers } = await ask(`GET ${path}`, { headers: { accept: 'text/html, */*' } })
  const [type, policy] = ['content-type', 'content-security-policy'].map((name) => headers.get(name) ?? '')
  return { status, text, type: type ?? '', policy: policy ?? '' }
}

/** Reads all pages to which links lead, except those of some operations. */
async function reachable(waiting: string[], unread: ReadonlySet<string>): Promise<Map<string, Page>> {
  const pages = new Map<string, Page>()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path) || unread.has(path)) continue
    const page = await read(path)
    pages.set(path, page)
    waiting.push(...linksOf(page).map((href) => href.split('#')[0] as string))
  }
  return pages
}

/** Returns the linked headings that do not exist. Feeds have absolute URLs. */
const lostAnchors = (pages: ReadonlyMap<string, Page>, path: string, { text }: Page): string[] =>
  [...text.replaceAll(`href="${url}/`, 'href="/').matchAll(/href="([^"#]*)#([^"]+)"/g)]
    .filter(([, to, anchor]) => !pages.get(to || path)?.text.includes(` id="${anchor}"`))
    .map(([, to, anchor]) => `${path}: ${to}#${anchor}`)

/** The page to which a lost anchor leads. */
const targetOf = (lost: string): string => lost.slice(lost.indexOf(': ') + 2, lost.indexOf('#'))

const twice = (found: readonly RegExpMatchArray[], path: string): string[] => {
  const names = found.map(([, name]) => name)
  return names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${path}: ${name}`)
}

t.test('every page is there, every link of it resolves, and none may have anything inline', async (t) => {
  const operations = (await ask('GET /v1')).body.areas.flatMap((area: Json) => area.operations)
  const ofOperations: string[] = operations.map(({ id }: Json) => `/docs/reference/${id.replace('.', '/')}`)
  const read = new Set(sample(ofOperations, 7))
  const unread = new Set(ofOperations.filter((path) => !read.has(path)))
  const pages = await reachable(['/', '/docs', '/v1/stream/docs'], unread)
  const linked = new Set([...pages.values()].flatMap(linksOf))
  t.strictSame(
    ofOperations.filter((path) => !linked.has(path) || !(pages.has(path) || unread.has(path))),
    [],
  )
  // Dashboard pages require sign-in, so only their existence is checked.
  const all = [...pages].filter(([path]) => !/^\/app(\/|$)/.test(path))
  const elsewhere = [...pages].filter(([path]) => /^\/app(\/|$)/.test(path))
  t.strictSame(
    elsewhere.filter(([, { status }]) => status !== 303),
    [],
  )
  const paths = (wrong: (page: Page) => boolean) => all.filter(([, page]) => wrong(page)).map(([path]) => path)
  t.strictSame(
    paths(({ status }) => status !== 200),
    [],
  )
  t.strictSame(
    all.flatMap(([path, page]) => lostAnchors(pages, path, page).filter((lost) => !unread.has(targetOf(lost)))),
    [],
  )
  const shown = new Map(all.filter(([, { type }]) => type.startsWith('text/html')))
  t.ok(shown.size + unread.size > operations.length)
  t.strictSame(
    [...shown].flatMap(([path, { text }]) => twice([...text.matchAll(/ id="([^"]+)"/g)], path)),
    [],
  )
  t.strictSame([...new Set([...shown.values()].map(({ policy }) => policy))], [docsPolicy])
  t.notMatch(docsPolicy, /unsafe|data:|\*/)
  const heavy = [...shown].filter(([, { text }]) => Buffer.byteLength(text) > 150 * 1024)
  t.strictSame(
    heavy.map(([path]) => path),
    [],
    'no page has more than 150 KiB of HTML',
  )
  const inline = / style="| on[a-z]+="|<style|<script(?![^>]* src=)/
  t.strictSame(
    [...shown].filter(([, { text }]) => inline.test(text)).map(([path]) => path),
    [],
  )
})

t.test('every page is there as Markdown, and the index for language models lists them', async (t) => {
  const index = (await ask('GET /llms.txt')).text
  const files = [...index.matchAll(/\]\((\/docs\/[^)]+\.md)\)/g)].map(([, path = '']) => path)
  for (const path of files) {
    const { status, headers, text } = await ask(`GET ${path}`)
    t.equal(status, 200, path)
    t.match(headers.get('content-type'), 'text/markdown')
    t.notMatch(text, /<!-- table/, `${path}: a table is not filled in`)
  }
  for (const path of ['quickstart', 'configure', 'email']) t.ok(files.includes(`/docs/guides/${path}.md`), path)
  t.ok(files.includes('/docs/reference/push.md'))
  const quickstart = (await ask('GET /docs/guides/quickstart.md')).text
  t.match(quickstart, '](/docs/guides/authentication.md)')
  const operation = (await ask('GET /docs/reference/push/messages.create.md')).text
  for (const told of [
    'POST /push/v1/messages',
    'Required scope: `push:send`',
    '`app_id` (string, uuid, required)',
    '409 `conflict`',
  ])
    t.match(operation, told)
  for (const path of ['/docs/guides/nothing.md', '/docs/reference/push/nothing', '/docs/reference/nothing/nothing.md'])
    t.equal((await ask(`GET ${path}`)).status, 404, path)
})

t.test('tables say what the code declares', async (t) => {
  const page = async (name: string) => (await ask(`GET /docs/guides/${name}.md`)).text
  const [authentication, errors, events] = [await page('authentication'), await page('errors'), await page('events')]
  for (const [scope, words] of Object.entries(scopes))
    if (scope !== 'operator') t.match(authentication, `| \`${scope}\` | ${words} |`)
  t.notMatch(authentication, '`operator`')
  const dashboard = await page('dashboard')
  for (const [permission, { words }] of Object.entries(permissions)) {
    const cells = roles.map((role) => (canRole(role, permission as keyof typeof permissions) ? 'yes' : ''))
    t.ok(dashboard.includes(`| ${[words, ...cells].join(' | ')} |`), permission)
  }
  for (const [code, { status, when }] of Object.entries(standardProblems))
    t.match(errors, `| \`${code}\` | ${status} | ${when} |`)
  const declared = codesOf((await ask('GET /v1/openapi.json')).body)
  t.ok(declared.length > 40)
  t.strictSame(
    declared.filter((row) => !errors.includes(row)),
    [],
  )
  for (const type of allTypes) t.match(events, type)
})

/** Returns the first cells of the rows with the problems of all operations in a document. */
function codesOf({ paths }: Json): string[] {
  const operations = Object.values<Json>(paths).flatMap((item) => Object.values<Json>(item))
  const responses = operations.flatMap((operation) => Object.entries<Json>(operation.responses))
  const rows = responses.flatMap(([status, { description }]) =>
    [...description.matchAll(/^`(\w+)`: /gm)].map(([, code]) => `| \`${code}\` | ${status} |`),
  )
  return [...new Set(rows)]
}

t.test('each event has a page with its fields and a sample, linked from the list of events', async (t) => {
  const list = (await ask('GET /docs/guides/events')).text
  const pages = [...new Set([...list.matchAll(/href="(\/docs\/events\/[^"]+)"/g)].map(([, href = '']) => href))]
  t.ok(pages.length > 50, String(pages.length))
  const ready = await ask('GET /docs/events/video.asset.ready')
  t.match(ready.headers.get('content-type'), 'text/html')
  for (const part of ['<h1>video.asset.ready</h1>', 'Fields of <code>data</code>', 'Sample payload', '&quot;id&quot;'])
    t.ok(ready.text.includes(part), part)
  const markdown = await ask('GET /docs/events/video.asset.ready.md')
  t.match(markdown.headers.get('content-type'), 'text/markdown')
  t.match(markdown.text, /^# video\.asset\.ready\n[\s\S]*- `id` \(string[\s\S]*```json\n\{/)
  t.equal((await ask('GET /docs/events/nothing.here')).status, 404)
})

t.test('unknown paths are a page for browsers and JSON for other clients', async (t) => {
  for (const path of [
    '/nothing',
    '/docs/nothing',
    '/docs/guides/nothing',
    '/docs/reference/nothing',
    '/docs/events/nothing',
  ]) {
    const page = await ask(`GET ${path}`, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
    t.match(page, { status: 404, text: /<h1>Page not found<\/h1>/ }, path)
    t.match(page.headers.get('content-type'), 'text/html', path)
    t.match(page.text, 'href="/app"')
    t.match((await ask(`GET ${path}`)).body, { error: { code: 'not_found' } }, path)
  }
})

t.test('pages are compressed for clients that accept it', async (t) => {
  const bytes = async (encoding: string) => {
    const response = await fetch(`${url}/docs/guides/email`, {
      headers: { 'accept-encoding': encoding, accept: 'text/html' },
    })
    return { encoding: response.headers.get('content-encoding'), text: await response.text() }
  }
  const [plain, gzip, brotli] = [await bytes('identity'), await bytes('gzip'), await bytes('br')]
  t.equal(plain.encoding, null)
  t.equal(gzip.encoding, 'gzip')
  t.equal(brotli.encoding, 'br')
  t.equal(gzip.text, plain.text)
  t.equal(brotli.text, plain.text)
})

t.test('guides show the base URL of the server that the reader uses', async (t) => {
  const { text } = await ask('GET /docs/guides/push', { headers: { accept: 'text/html' } })
  t.match(text, `MILLRACE_BASE_URL=${url}`)
  t.notMatch(text, 'http://127.0.0.1:8080')
})

t.test('guides show the calls of each client as tabs', async (t) => {
  const guide = { name: 'x', path: 'x.md', title: 'X', side: 'build', markdown: '' } as const
  const fence = (language: string) => `\`\`\`${language}\n${language}\n\`\`\`\n`
  const { body } = renderGuide(
    guide,
    [fence('sh'), fence('js'), fence('python'), fence('json'), fence('sh'), fence('python'), fence('js')].join('\n'),
  )
  t.equal(body.text.match(/role="tablist"/g)?.length, 2)
  t.equal(body.text.match(/role="tabpanel"/g)?.length, 6)
  t.match(body.text, /id="call-1-Node" data-call="Node"/)
  t.notMatch(renderGuide(guide, `${fence('sh')}\nText\n\n${fence('js')}`).body.text, 'tablist')
})

t.test('the page of an operation says what its document says', async (t) => {
  const { text } = await ask('GET /docs/reference/push/messages.create')
  for (const told of [
    'push:send',
    'POST',
    '/push/v1/messages',
    'at most 255 characters',
    'id="call-Python"',
    'required',
  ])
    t.match(text, told)
  t.match(
    (await ask('GET /docs/reference/video/assets.list')).text,
    '<code>&quot;ready&quot;</code>',
    'values of an enumeration',
  )
})

t.test('the search finds what a newcomer looks for, and the name of every setting', async (t) => {
  const { entries } = (await ask('GET /docs/search.json')).body
  const search = new MiniSearch({ fields: ['title', 'of', 'text'], storeFields: ['title', 'href'] })
  search.addAll(entries)
  const options = {
    prefix: true,
    fuzzy: (term: string) => term.length > 4 && 0.3,
    boost: { title: 3, of: 2 },
    combineWith: 'AND' as const,
  }
  const first = (text: string) =>
    search
      .search(text, options)
      .toSorted((one, other) => Number(other.title === text) - Number(one.title === text))
      .slice(0, 3)
      .map(({ href }) => href)
  for (const [words, href] of [
    ['pagination', '/docs/guides/pagination'],
    ['create api key', '/docs/guides/authentication#create-an-api-key'],
    ['errors', '/docs/guides/errors'],
    ['test mode', '/docs/guides/test-mode'],
    ['idempotency', '/docs/guides/idempotency'],
    ['send push message', '/docs/reference/push/messages.create'],
    ['email:send', '/docs/guides/authentication#email:send'],
  ] as const)
    t.ok(first(words).includes(href), `${words}: ${first(words)}`)
  const names = Object.values(sections).flatMap((section) => Object.keys(section))
  t.ok(names.length > 150)
  t.strictSame(
    sample(names, 10).filter((name) => !first(name).includes(`/docs/guides/configure#${name}`)),
    [],
  )
})

t.test('pages can be read by everybody, in light and dark, on a desk and on a phone', { skip }, async (t) => {
  const browser = await startBrowser(t)
  // The pages’ policy blocks foreign JavaScript, including axe.
  const context = await browser.newContext({ colorScheme: 'light', bypassCSP: true })
  const { page, errors } = await watchedPage(context)
  const views = [
    [1280, 'light'],
    [390, 'dark'],
    [1280, 'dark'],
    [390, 'light'],
  ] as const
  for (const [at, path] of ['', '/guides/authentication', '/reference/push/messages.create'].entries()) {
    await page.goto(`${url}/docs${path}`)
    for (const [width, scheme] of sample(views, 3, at)) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme: scheme })
      await page.evaluate('localStorage.clear()')
      await page.reload()
      await page.evaluate(axe.source)
      // Dark mode changes only colours.
      const rules = scheme === 'dark' ? '{ runOnly: ["color-contrast"] }' : '{}'
      const { violations, passes } = (await page.evaluate(`axe.run(${rules})`)) as Json
      const where = `${path || '/'} ${scheme} ${width}`
      const told = violations.map(({ id, nodes }: Json) => [id, nodes.map((node: Json) => node.html)])
      t.strictSame(told, [], where)
      t.ok(
        passes.some(({ id }: Json) => id === 'color-contrast'),
        `${where}: contrast was looked at`,
      )
      t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${where}: nothing is wider`)
      const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
      t.equal(background, scheme === 'dark' ? 'rgb(18, 23, 29)' : 'rgb(255, 255, 255)')
      await keepPicture(page, `docs${path.replaceAll('/', '-')}-${scheme}-${width}.png`)
    }
  }
  t.strictSame(errors, [])
})
