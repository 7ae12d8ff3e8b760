import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type t from 'tap'
import { startBrowser, watchedPage } from '../../support/browser.ts'
import { playableAsset } from '../../support/playable-asset.ts'
import { until } from '../../support/until.ts'
import { videoStack } from '../../support/video-stack.ts'
import { declarations } from './declarations.ts'

type Tap = typeof t

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Bundles code that can import `millrace/react`, `react` and `react-dom` of a folder. */
export async function bundle(code: string, modules = join(root, 'node_modules')): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root, loader: 'js' },
    alias: {
      'millrace/react': join(root, 'sdk/node/src/react.ts'),
      react: join(modules, 'react'),
      'react-dom': join(modules, 'react-dom'),
    },
    define: { 'process.env.NODE_ENV': '"development"' },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

const code = `import { createElement as h, createRef, StrictMode, version } from 'react'
import { createRoot } from 'react-dom/client'
import * as millrace from 'millrace/react'
window.version = version
window.said = []
window.ref = createRef()
const root = createRoot(document.getElementById('root'))
window.show = (name, props) => root.render(h(StrictMode, null, name && h(millrace[name], { ref, ...props })))
window.note = (name) => (detail, event) => said.push([name, detail, event instanceof CustomEvent])
`

/** Tests every component in Chromium with the React of a folder, which has this major version. */
export function testInBrowser(t: Tap, major: number, modules?: string): void {
  t.test(`React ${major} shows every element in Chromium: attributes, events, ref, changes and removal`, async (t) => {
    const stack = await videoStack(t, { areas: ['notify', 'bots', 'guard', 'email', 'hooks'] })
    const { id } = await playableAsset(stack.db, stack.orgId)
    await stack.ask(`PATCH /v1/stream/assets/${id}`, { body: { visibility: 'unlisted' } })
    const script = await bundle(code, modules)
    const site = createServer(({ url }, response) => {
      response.setHeader('content-type', url === '/app.js' ? 'text/javascript' : 'text/html')
      const page =
        '<!doctype html><html lang="en"><title>React</title><link rel="icon" href="data:,"><main id="root"></main>'
      response.end(url === '/app.js' ? script : `${page}<script type="module" src="/app.js"></script>`)
    })
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done))
    t.teardown(() => site.close())
    const browser = await startBrowser(t)
    const { page: tab, errors } = await watchedPage(browser)
    await tab.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)
    // biome-ignore lint/suspicious/noExplicitAny: values of the page.
    const read = (expression: string) => tab.evaluate(expression) as Promise<any>
    await until(() => read('window.show !== undefined'))
    t.equal(await read('Number.parseInt(version, 10)'), major)
    const base = JSON.stringify(stack.ingress.url)

    for (const { tag, component, attributes, events } of await declarations()) {
      const handlers = Object.keys(events).map((name) => `on${name[0]?.toUpperCase()}${name.slice(1)}`)
      const noted = handlers.map((name) => `${name}: note('${name}')`).join(', ')
      const texts = Object.entries(attributes).flatMap(([name, attribute]) =>
        attribute !== 'property' && name !== 'speeds' && attribute.write('x') === 'x'
          ? [[name, attribute.name] as const]
          : [],
      )
      const values = texts.map(([name]) => `${name}: '${name === 'lang' ? 'de' : `${name}-1`}'`).join(', ')
      await read(`show('${component}', { baseUrl: ${base}, ${values}, ${noted} })`)
      await until(() => read(`Boolean(customElements.get('${tag}')) && ref.current?.localName === '${tag}'`), {
        what: `${tag} is defined`,
      })
      const shown = await read(
        `Object.fromEntries([...ref.current.attributes].map(({ name, value }) => [name, value]))`,
      )
      for (const [name, attribute] of texts)
        t.equal(shown[attribute], name === 'lang' ? 'de' : `${name}-1`, `${tag} ${attribute}`)
      for (const [index, type] of Object.values<string>(events).entries()) {
        await read(`said.length = 0, ref.current.dispatchEvent(new CustomEvent('${type}', { detail: 7 }))`)
        t.strictSame(await read('said.filter(([, detail]) => detail === 7)'), [[handlers[index], 7, true]], type)
      }
      await read(`show('${component}', { baseUrl: ${base} })`)
      const left = texts.filter(([name]) => name !== 'name').map(([, name]) => name)
      await until(() => read(`${JSON.stringify(left)}.every((name) => !ref.current.hasAttribute(name))`), {
        what: `${tag} has lost its attributes`,
      })
      await read('show(null)')
      await until(() => read('ref.current === null'))
    }

    // A form field of its own name, also for an element that is created after its class.
    await read(`show('MillGuard', { baseUrl: ${base}, sitekey: 'x', action: 'a', name: 'proof' })`)
    await until(() => read("ref.current?.name === 'proof' && ref.current.getAttribute('name') === 'proof'"))
    await read(`show('MillWebhooks', { baseUrl: ${base}, token: 'x', words: { failed: 'Nope' } })`)
    await until(() => read("ref.current?.words?.failed === 'Nope'"))
    await read(`show('MillWebhooks', { baseUrl: ${base}, token: 'x', words: { failed: 'Later' } })`)
    await until(() => read("ref.current?.words?.failed === 'Later'"))
    // An element that reads its attributes once is replaced.
    await read(`show('MillBot', { baseUrl: ${base}, publicKey: 'k', bot: 'one' })`)
    await until(() => read("window.first = ref.current?.localName === 'mill-bot' && ref.current"))
    await read(`show('MillBot', { baseUrl: ${base}, publicKey: 'k', bot: 'two' })`)
    await until(() => read("ref.current !== window.first && ref.current.getAttribute('bot') === 'two'"))
    await read(
      `show('MillBot', { baseUrl: ${base}, publicKey: 'k', bot: 'two', onRating: note('rating') }), said.length = 0`,
    )
    await read("ref.current.dispatchEvent(new CustomEvent('rating', { detail: 1 }))")
    t.same(await read('said.map(([name]) => name)'), ['rating'])

    await read(`said.length = 0, show('MillPlayer', { baseUrl: ${base}, playbackId: '${id}', title: 'Steam', muted: true,
      chapters: [{ start: 0, title: 'Fire' }], onVolume: note('volume') })`)
    await tab.getByRole('heading', { name: 'Steam' }).waitFor()
    await until(() => read("ref.current.shadowRoot.getElementById('chapters').textContent === 'Fire'"))
    t.equal(await read('ref.current.video.muted'), true)
    await read(`show('MillPlayer', { baseUrl: ${base}, playbackId: '${id}', title: 'Steam', muted: true,
      chapters: [{ start: 0, title: 'Water' }], onVolume: note('volume') })`)
    await until(() => read("ref.current.shadowRoot.getElementById('chapters').textContent === 'Water'"))
    await read('ref.current.setVolume(0.5)')
    await until(() => read("said.some(([name, { volume }]) => name === 'volume' && volume === 0.5)"))
    await read(
      `said.length = 0, show('MillPlayer', { baseUrl: ${base}, playbackId: '${id}', title: 'Coal', onVolume: note('newer') })`,
    )
    await tab.getByRole('heading', { name: 'Coal' }).waitFor()
    t.equal(await read('ref.current.video.muted'), false)
    await read('ref.current.setVolume(0.25)')
    await until(() => read("said.some(([name]) => name === 'newer')"))
    t.equal(await read("said.filter(([name]) => name === 'volume').length"), 0, 'the handler of now')
    t.equal(await read('document.querySelectorAll("script[src$=\'mill-player.js\']").length'), 1, 'once')
    await read('show(null)')
    await until(() => read('ref.current === null'))
    t.strictSame(
      errors.filter(
        (text) => !/React DevTools|40[0-9]|Failed to load|mill-guard:|mill-player:|EventSource|CORS|net::/.test(text),
      ),
      [],
    )
    await tab.close()
  })
}
