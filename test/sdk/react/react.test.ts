import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { createElement, type FunctionComponent } from 'react'
import t from 'tap'
import { lightPath } from '../../support/browser.ts'
import { bundle, testInBrowser } from './browser.ts'
import { type Declaration, declarations, imported } from './declarations.ts'

t.setTimeout(180_000)
const root = fileURLToPath(new URL('../../..', import.meta.url))
const all = await declarations()
const components = (await imported('react.ts')) as Record<string, FunctionComponent<object>>
const { renderToString } = createRequire(import.meta.url)('react-dom/server')

/** Folder and main file of each element. */
const sources: Record<string, [folder: string, file: string]> = {
  'mill-bot': ['ingress/bots/element', 'mill-bot.js'],
  'mill-chat': ['ingress/live/chat/element', 'mill-chat.js'],
  'mill-guard': ['ingress/guard/widget', 'element.js'],
  'mill-inbox': ['ingress/notify/element', 'mill-inbox.js'],
  'mill-player': ['ingress/video/player', 'element.js'],
  'mill-preferences': ['ingress/email/element', 'mill-preferences.js'],
  'mill-webhooks': ['ingress/hooks/element', 'mill-webhooks.js'],
}

const found = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name)

/** Returns the attributes that the code of an element reads. */
async function attributesOf({ tag }: Declaration): Promise<Set<string>> {
  const [folder = '', file = ''] = sources[tag] ?? []
  const read = (name: string) => readFileSync(`${root}/${folder}/${name}`, 'utf8')
  if (tag === 'mill-player') {
    const { sourceNames, optionNames } = await import(`${root}/${folder}/options.js`)
    return new Set([...sourceNames, ...optionNames])
  }
  const code = read(file)
  const observed = /observedAttributes = \[([^\]]*)\]/.exec(code)?.[1] ?? ''
  const isField = code.includes('formDisabledCallback')
  return new Set([
    ...found(observed, /'([\w-]+)'/g),
    ...found(code, /this\.(?:getAttribute|hasAttribute)\('([\w-]+)'\)/g),
    ...(code.includes('this.#auto(') ? ['auto'] : []),
    ...found(read('style.js'), /:host\(\[([\w-]+)=/g),
    ...(isField ? ['disabled'] : []),
  ])
}

t.test('there is a component for each element of the server', async (t) => {
  const scripts = readdirSync(`${root}/ingress`, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.js') && !path.includes('node_modules'),
  )
  const defined = scripts.flatMap((path) => {
    const code = readFileSync(`${root}/ingress/${path}`, 'utf8')
    return found(code, /customElements\.define\('(mill-[\w-]+)'/g)
  })
  t.same(all.map(({ tag }) => tag).sort(), defined.sort())
  for (const { component } of all) t.ok(component in components, component)
})

for (const declaration of all) {
  t.test(`${declaration.component} has the attributes and events of its element`, async (t) => {
    const declared = Object.values(declaration.attributes).flatMap((one) => (one === 'property' ? [] : [one.name]))
    const wanted = await attributesOf(declaration)
    if (declaration.tag === 'mill-bot') wanted.delete('key')
    t.same([...declared].sort(), [...wanted].sort())
    const [folder = '', file = ''] = sources[declaration.tag] ?? []
    const files = declaration.tag === 'mill-player' ? readdirSync(`${root}/${folder}`) : [file]
    const scripts = files.filter((name) => name.endsWith('.js'))
    const code = scripts.map((name) => readFileSync(`${root}/${folder}/${name}`, 'utf8')).join('\n')
    for (const [name, type] of Object.entries(declaration.events)) t.match(code, `'${name}'`, String(type))
    const told = found(code, /(?:#tell|new CustomEvent|[^#\w]say)\(\s*'([\w-]+)'/g)
    const known: unknown[] = Object.keys(declaration.events)
    t.same(
      told.filter((name) => !known.includes(name)),
      [],
    )
  })
}

t.test('a server renders each element with its attributes', async (t) => {
  const h = (name: string, props: object) => createElement(components[name] as FunctionComponent<object>, props)
  const baseUrl = 'https://millrace.example.com/v1'
  const html = renderToString(
    createElement(
      'main',
      null,
      h('MillPlayer', {
        baseUrl,
        ...{ token: 'a"b', title: 'Steam', muted: true, loop: false, start: 5, controls: true, keys: false },
        ...{ speeds: [1, 2], resume: 'ann', cast: true, transcript: 'open', className: 'wide' },
        ...{ style: { maxWidth: 960 }, chapters: [{ start: 0, title: 'x' }], onReady: () => {} },
      }),
      h('MillInbox', { baseUrl, tokenUrl: '/token', inline: true }),
      h('MillGuard', { baseUrl, sitekey: 'bt_site_1', action: 'sign-up', workers: 2, assess: false }),
      h('MillBot', { baseUrl, publicKey: 'bt_site_2', bot: '7', id: 'help', 'data-test': 'x', 'aria-label': 'Help' }),
    ),
  )
  t.equal(
    html,
    '<main><mill-player class="wide" style="max-width:960px" token="a&quot;b" title="Steam" muted="" start="5" speeds="1 2" cast="" keys="none" resume="ann" transcript="open"></mill-player>' +
      '<mill-inbox token-url="/token" inline=""></mill-inbox>' +
      '<mill-guard sitekey="bt_site_1" action="sign-up" name="mill-guard-token" workers="2" assess="off"></mill-guard>' +
      '<mill-bot id="help" data-test="x" aria-label="Help" public-key="bt_site_2" bot="7"></mill-bot></main>',
  )
})

t.test('a page that uses one component contains no other', async (t) => {
  const text = await bundle("import { MillInbox } from 'millrace/react'\nglobalThis.it = MillInbox")
  const own = text.split(/^\/\/ sdk\/node\/src\//m).slice(1)
  t.same([...new Set(own.map((part) => part.split('\n')[0]))].sort(), [
    'element-script.ts',
    'react/declaration.ts',
    'react/inbox.ts',
    'react/wrapper.ts',
  ])
  const bytes = own.reduce((sum, part) => sum + part.length, 0)
  t.ok(bytes < 8_192, `${bytes} bytes without React, not minified`)
})

if (existsSync(lightPath)) testInBrowser(t, 18)
