import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { readConfig } from '#lib/config.ts'
import { anchorOf } from '../../ingress/docs/markdown.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { stdout } = await promisify(execFile)(
  'find',
  ['.', '-name', '*.md', '-not', '-path', '*/node_modules/*', '-not', '-path', './.*'],
  {
    cwd: root,
  },
)
const files = stdout
  .split('\n')
  .filter(Boolean)
  .map((file) => file.slice(2))
const withoutCode = (markdown: string) => markdown.replace(/^ *```[\s\S]*?^ *```$/gm, '')
const read = async (file: string) => withoutCode(await readFile(join(root, file), 'utf8'))
const anchorsOf = (markdown: string) =>
  new Set([...markdown.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => anchorOf(heading)))

t.test('every link of the guides leads to a file and a heading that are there', async (t) => {
  t.ok(files.length > 5)
  for (const file of files) {
    for (const [, target = ''] of (await read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      // The test of the pages below requests each link to /docs.
      if (/^https?:|^\/docs\//.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const aim = path ? join(dirname(join(root, file)), path) : join(root, file)
      t.ok(existsSync(aim), `${file}: ${target}`)
      if (anchor) t.ok(anchorsOf(await read(relative(root, aim))).has(anchor), `${file}: ${target}`)
    }
  }
})

t.test('paths that the guides name are there', async (t) => {
  for (const file of files) {
    for (const [, path = ''] of (await read(file)).matchAll(
      /`((?:ingress|tasks|workers|sql|lib|ops|test)\/[\w./-]+)`/g,
    ))
      if (!path.includes('NNNN')) t.ok(existsSync(join(root, path)), `${file}: ${path}`)
  }
})

t.test('every area guide has the section Data retention, with the declared numbers', async (t) => {
  const declared = readConfig({}) as Record<string, unknown>
  const guides = files.filter((file) => /^ingress\/(?!console)\w+\/README\.md$/.test(file))
  t.ok(guides.length >= 17)
  const told = new Set<string>()
  for (const guide of guides) {
    const section = (await read(guide)).split('\n## Data retention\n')[1]?.split('\n## ')[0] ?? ''
    t.match(section, /\S/, guide)
    for (const [, name = '', number] of section.matchAll(/`([A-Z_]+_DAYS)`(?: \((\d+)\))?/g)) {
      t.equal(Number(number), declared[name], `${guide}: ${name}`)
      told.add(name)
    }
  }
  const ofOperators = ['ACTION_DAYS', 'BACKUP_FULL_MAX_AGE_DAYS']
  const all = Object.keys(declared).filter((name) => name.endsWith('_DAYS') && !ofOperators.includes(name))
  t.same([...told].sort(), all.sort())
})

t.test('the documentation shows the guides as pages, and as Markdown', async (t) => {
  const { db } = await testDatabase(t)
  const { ask } = await testIngress(t, db)
  const { text, status } = await ask('GET /docs')
  t.equal(status, 200)
  const names = [...new Set([...text.matchAll(/href="\/docs\/guides\/(\w+)"/g)].map(([, name = '']) => name))]
  for (const name of [
    'start',
    'video',
    'files',
    'console',
    'workers',
    'ops',
    'configure',
    'operate',
    'benchmarks',
    'deploy',
  ])
    t.ok(names.includes(name), name)
  const pages = new Map<string, string>()
  for (const name of names) {
    const page = await ask(`GET /docs/guides/${name}`, { headers: { accept: 'text/html' } })
    t.match(page.headers.get('content-type'), /^text\/html/)
    pages.set(name, page.text)
  }
  const reference = new Set<string>()
  for (const [name, page] of pages) {
    for (const [, href = ''] of page.matchAll(/href="(\/docs\/[^"]+)"/g)) {
      const [, guide, anchor] = /^\/docs\/guides\/(\w+)(?:#(.+))?$/.exec(href) ?? []
      if (guide === undefined) reference.add(href)
      else t.ok(pages.has(guide) && (!anchor || pages.get(guide)?.includes(`id="${anchor}"`)), `${name}: ${href}`)
    }
  }
  for (const href of reference) t.equal((await ask(`GET ${href}`)).status, 200, href)
  t.match(pages.get('start'), '<a href="/docs/guides/video">')
  for (const [name, page] of pages) t.notMatch(page, /<a title=/, `${name}: a link leads nowhere`)
  const example = await ask('GET /docs/files/sdk~node~examples~push.mjs')
  t.match(example.headers.get('content-type'), /^text\/plain/)
  t.equal(example.text, await readFile(join(root, 'sdk/node/examples/push.mjs'), 'utf8'))
  const folder = await ask('GET /docs/files/sdk~node~examples')
  t.match(folder.headers.get('content-type'), /^text\/html/)
  t.match(folder.text, 'href="/docs/files/sdk~node~examples~sign-up.mjs"')
  for (const other of ['package.json', 'lib~config.ts', '..~..~etc~passwd', 'sdk~node~examples~..~package.json'])
    t.equal((await ask(`GET /docs/files/${other}`)).status, 404, other)
  const plain = await ask('GET /docs/guides/start', { headers: { accept: 'text/markdown' } })
  t.match(plain.headers.get('content-type'), /^text\/markdown/)
  t.equal(plain.text, await readFile(join(root, 'README.md'), 'utf8'))
  t.equal((await ask('GET /docs/guides/nothing')).status, 404)
  t.equal((await ask('GET /docs/reference/nothing')).status, 404)
})
