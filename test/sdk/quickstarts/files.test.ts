import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { testDatabase } from '../../support/database.ts'
import { testIngress } from '../../support/ingress.ts'
import { quickstarts } from './project.ts'

const mostLines = 120

/** Files that hold no code of the reader: the guide, and settings without code. */
const isCode = (path: string) => !/(^|\/)(README\.md|package\.json|\.env\.example)$/.test(path)

const names = readdirSync(quickstarts)

const filesOf = (name: string): string[] =>
  readdirSync(join(quickstarts, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name: file }) => join(parentPath, file).slice(join(quickstarts, name).length + 1))
    .filter(isCode)
    .sort()

const read = (name: string, file: string) => readFileSync(join(quickstarts, name, file), 'utf8')

t.test('each quick start has up to 120 lines of code, and its guide shows each file', async (t) => {
  t.ok(names.length >= 2)
  for (const name of names) {
    const files = filesOf(name)
    const lines = files.flatMap((file) => read(name, file).split('\n')).filter((line) => line.trim() !== '')
    t.ok(lines.length > 20 && lines.length <= mostLines, `${name}: ${lines.length} lines`)
    t.same(
      lines.filter((line) => line.length > 120),
      [],
      `${name}: lines of up to 120 characters`,
    )
    const shown = [...read(name, 'README.md').matchAll(/^<!-- file: (\S+) -->$/gm)].map(([, file = '']) => file)
    t.same(shown.toSorted(), files, `${name}: each file once`)
  }
})

t.test('the documentation has each quick start, with the code of its files', async (t) => {
  const { db } = await testDatabase(t)
  const { ask } = await testIngress(t, db, [], { only: ['docs'] })
  const home = (await ask('GET /docs')).text
  const index = (await ask('GET /llms.txt')).text
  for (const name of names) {
    const moved = await ask(`GET /docs/quickstart/${name}`)
    t.equal(moved.status, 302)
    t.equal(moved.headers.get('location'), `/docs/guides/quickstart-${name}`)
    t.match(home, `href="/docs/guides/quickstart-${name}"`)
    t.match(index, `(/docs/guides/quickstart-${name}.md)`)
    const page = await ask(`GET /docs/guides/quickstart-${name}`, { headers: { accept: 'text/html' } })
    const text = (await ask(`GET /docs/guides/quickstart-${name}.md`)).text
    for (const file of filesOf(name)) {
      t.ok(text.includes(read(name, file).trimEnd()), `${name}: ${file}`)
      const link = `<a href="/docs/files/sdk~quickstarts~${name}~${file.replaceAll('/', '~')}"`
      t.ok(page.text.includes(link), `${name}: a link to ${file}`)
    }
    t.notMatch(page.text, '&lt;!-- file:')
  }
  t.equal((await ask('GET /docs/quickstart/cobol')).status, 404)
})
