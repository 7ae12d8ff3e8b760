import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'millrace-react-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
t.setTimeout(180_000)

/** Not part of the text below, because the runner of the tests would read it as an import of this file. */
const components = './react.ts'

const uses = `import { createElement, createRef } from 'react'
import { MillBot, MillGuard, type MillGuardElement, MillInbox, MillPlayer, type MillPlayerElement, MillWebhooks } from '${components}'
const ref = createRef<MillPlayerElement>()
export const player = createElement(MillPlayer, { ref, baseUrl: 'x', playbackId: 'y', onTime: ({ time }) => time.toFixed() })
export const state = ref.current?.state().duration?.toFixed()
export const inbox = createElement(MillInbox, { baseUrl: 'x', tokenUrl: '/t', onOpen: ({ title }, event) => title && event.preventDefault() })
export const guard = createElement(MillGuard, { baseUrl: 'x', sitekey: 'y', action: 'z', auto: 'onload', onSolve: ({ token }) => token.at(0) })
export const token = createRef<MillGuardElement>().current?.solve().then((text) => text.at(0))
export const webhooks = createElement(MillWebhooks, { baseUrl: 'x', words: { endpoints: 'y' }, onChange: ({ kind }) => kind.at(0) })
// @ts-expect-error: no base URL
createElement(MillPlayer, { token: 'x' })
// @ts-expect-error: the token is a string
createElement(MillPlayer, { baseUrl: 'x', token: 7 })
// @ts-expect-error: the event has no such field
createElement(MillPlayer, { baseUrl: 'x', onTime: ({ tempo }) => tempo })
// @ts-expect-error: volumes are numbers
ref.current?.setVolume('loud')
// @ts-expect-error: no bot
createElement(MillBot, { baseUrl: 'x', publicKey: 'y' })
// @ts-expect-error: no such time
createElement(MillGuard, { baseUrl: 'x', sitekey: 'y', action: 'z', auto: 'sometimes' })
// @ts-expect-error: no such event
createElement(MillInbox, { baseUrl: 'x', onReady: () => {} })
`

t.test('the package has types of every component, and marks them for the client', async (t) => {
  await cp(join(root, 'sdk/node'), folder, { recursive: true, filter: (path) => !/\/(dist|node_modules)$/.test(path) })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'src/use.ts'), uses)
  const tsc = join(root, 'node_modules/.bin/tsc')
  const { stdout } = await run(tsc, ['-p', folder, '--outDir', join(folder, 'out')], { cwd: folder }).catch(
    (error) => error,
  )
  t.equal(stdout, '')
  const built = async (name: string) => await readFile(join(folder, 'out', name), 'utf8')
  t.match(await built('react/inbox.js'), /^'use client';\nimport /, 'a server component can use it')
  t.notMatch(await built('react.js'), /use client|export \*/, 'Next.js rejects `export *` in a client module')
})
