import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { anchorOf } from '../../ingress/service/guides.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { stdout } = await promisify(execFile)('find', ['.', '-name', 'README.md', '-not', '-path', '*/node_modules/*'], {
  cwd: root,
})
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
      if (/^https?:/.test(target)) continue
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

t.test('the README is a page to be read in one go', async (t) => {
  t.ok((await stat(join(root, 'README.md'))).size <= 10_240)
})

t.test('the service shows the guides under its documentation', async (t) => {
  const { db } = await testDatabase(t)
  const { ask } = await testIngress(t, db)
  t.match((await ask('GET /docs')).text, 'href="/docs/guides"')
  const { text, status } = await ask('GET /docs/guides')
  t.equal(status, 200)
  const names = [...text.matchAll(/href="\/docs\/guides\/(\w+)"/g)].map(([, name = '']) => name)
  for (const name of ['start', 'video', 'files', 'console', 'workers', 'ops', 'deploy'])
    t.ok(names.includes(name), name)
  for (const name of names) {
    const page = await ask(`GET /docs/guides/${name}`, { headers: { accept: 'text/html' } })
    t.match(page.headers.get('content-type'), /^text\/html/)
    t.notMatch(page.text, /<script/)
  }
  const start = await ask('GET /docs/guides/start', { headers: { accept: 'text/html' } })
  t.match(start.text, '<a href="/docs/guides/video">')
  const plain = await ask('GET /docs/guides/start', { headers: { accept: 'text/markdown' } })
  t.match(plain.headers.get('content-type'), /^text\/markdown/)
  t.equal(plain.text, await readFile(join(root, 'README.md'), 'utf8'))
  t.equal((await ask('GET /docs/guides/nothing')).status, 404)
})
