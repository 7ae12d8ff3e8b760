import { readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'
import { browserTypes } from '../../ops/browser-types.ts'

const types = fileURLToPath(new URL('../../ingress/rooms/client/client.d.ts', import.meta.url))
const guide = await readFile(new URL('../../ingress/rooms/README.md', import.meta.url), 'utf8')

t.test('the types of the browser clients are those of their modules', async (t) => {
  for (const { path, now, declared } of browserTypes()) t.equal(now, declared, `${path}: run \`npm run generate\``)
})

t.test('the guide’s program is right by the client’s types, and a wrong one is not', async (t) => {
  const [, program = ''] = /^```js\n(import \{ join \}[\s\S]*?)^```$/m.exec(guide) ?? []
  const folder = t.testdir({ 'package.json': '{"type":"module"}' })
  await symlink(types, join(folder, 'client.d.ts'))
  const given = 'declare const roomId: string\ndeclare const token: string\n'
  const local = program.replace('https://millrace.example/v1/stream/rooms/client.js', './client.js')
  await writeFile(join(folder, 'right.ts'), given + local)
  await writeFile(join(folder, 'wrong.ts'), given + local.replace("start('microphone')", "start('mikrofon')"))
  const paths = ['right.ts', 'wrong.ts'].map((name) => join(folder, name))
  const checked = ts.createProgram(paths, {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    types: [],
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
  })
  const faults = (name: string) =>
    ts
      .getPreEmitDiagnostics(checked, checked.getSourceFile(join(folder, name)))
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  t.strictSame(faults('right.ts'), [])
  t.match(faults('wrong.ts'), [/'"mikrofon"' is not assignable/])
})
