import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { chromiumPath, keepPicture, startBrowser, trouble, watchedPage } from '../support/browser.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress } from '../support/ingress.ts'
import { joined, participant, roomGateway } from '../support/room-gateway.ts'
import { until } from '../support/until.ts'

const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const services = [provide(signingSecret, 'a secret of this test, long enough to sign with')]
const ingress = await testIngress(t, (await testDatabase(t)).db, [], { only: ['rooms', 'video'], services })
const rooms = `${ingress.url}/v1/stream/rooms`

/** Nobody signed it: the page reads it, and asks others whether it holds. */
const tokenFor = (role: string) =>
  `${Buffer.from(JSON.stringify({ displayName: 'Zoë Ångström', role })).toString('base64url')}.x`
const address = (role: string) => `${rooms}/r/join?token=${tokenFor(role)}`

const browser: Browser | undefined = skip ? undefined : await startBrowser(t)

async function open(role: string, options: BrowserContextOptions = {}) {
  if (!browser) throw new Error('There is no browser.')
  const gateway = await roomGateway(t)
  const context = await browser.newContext(options)
  t.teardown(() => context.close())
  const watched = await watchedPage(context)
  await gateway.serve(watched.page)
  await watched.page.goto(address(role))
  return { ...watched, gateway }
}
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const shown = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

t.test(
  'the client is one module with its types, for pages of any origin, and its parts are kept for ever',
  async (t) => {
    const client = await ingress.ask('GET /v1/stream/rooms/client.js')
    t.equal(client.status, 200)
    t.match(client.headers.get('content-type'), 'text/javascript')
    t.equal(client.headers.get('access-control-allow-origin'), '*')
    t.match(client.headers.get('cache-control'), 'max-age=300')
    const parts = [...client.text.matchAll(/'\.\/(client\/[^']+)'/g)].map(([, path]) => String(path))
    t.ok(parts.length > 5)
    for (const path of new Set(parts)) {
      const part = await ingress.ask(`GET /v1/stream/rooms/${path}`)
      t.equal(part.status, 200, path)
      t.match(part.headers.get('cache-control'), 'immutable')
      t.equal(part.headers.get('access-control-allow-origin'), '*')
    }
    const version = parts[0]?.split('/')[1] ?? ''
    for (const other of [
      `${version}/files.ts`,
      `${version}/none.js`,
      `000000000000/client.js`,
      `${version}/..%2Findex.ts`,
    ])
      t.equal((await ingress.ask(`GET /v1/stream/rooms/client/${other}`)).status, 404, other)
    t.match((await ingress.ask('GET /v1/stream/rooms/client.d.ts')).text, 'export declare function join(')
  },
)

t.test('the page runs its own scripts only, may be framed, and tells no other site its address', async (t) => {
  const { status, headers, text } = await ingress.ask('GET /v1/stream/rooms/r/join?token=x')
  t.equal(status, 200)
  const policy = headers.get('content-security-policy') ?? ''
  for (const directive of [
    "default-src 'none'",
    "script-src 'self'",
    'frame-ancestors *',
    "require-trusted-types-for 'script'",
  ])
    t.match(policy, directive)
  t.equal(headers.get('referrer-policy'), 'no-referrer')
  t.match(headers.get('cache-control'), 'no-store')
  t.notMatch(text, 'token=', 'it is the same for all')
})

t.test('each ending is told in words, and whether to come again', { skip }, async (t) => {
  const { page, gateway } = await open('viewer')
  for (const [code, words, again] of [
    [4001, 'This invitation is not valid.', false],
    [4003, 'This invitation no longer works.', false],
    [4004, 'The room has ended.', false],
    [4008, 'The room is full.', true],
    [4009, 'You have joined from another device or browser tab.', true],
    [4010, 'A host has removed you from the room.', false],
    [4029, 'The room has closed the connection.', true],
  ] as const) {
    gateway.admits = code
    await page.reload()
    await press(page, 'Join')
    await shown(page, words)
    t.equal(await page.getByRole('button', { name: 'Join again' }).isVisible(), again, words)
  }
  t.equal(gateway.heard.length, 7, 'nobody knocks again by itself')
  await page.unroute('**/connect?*')
  await page.reload()
  await page.locator('#over').waitFor()
  await keepPicture(page, 'room-error.png')
})

t.test('an invitation that does not work is told before the browser asks for a camera', { skip }, async (t) => {
  if (!browser) return
  const watched = await watchedPage(await browser.newContext())
  await watched.page.addInitScript(
    `navigator.mediaDevices.getUserMedia = async () => { globalThis.asked = true; throw new Error('none') }`,
  )
  const past = Buffer.from(JSON.stringify({ role: 'host', exp: 1 })).toString('base64url')
  for (const [query, words] of [
    [`token=${tokenFor('host')}`, 'This invitation is not valid.'],
    [`token=${past}.x`, 'This invitation has expired.'],
    ['', 'This invitation is not valid.'],
    ['invite=x.y', 'This invitation is not valid.'],
  ] as const) {
    await watched.page.goto(`${rooms}/01890000-0000-7000-8000-000000000000/join?${query}`)
    await shown(watched.page, words)
    t.equal(await watched.page.locator('#lobby').isVisible(), false)
    t.notOk(await watched.page.evaluate('globalThis.asked'), words)
  }
  await watched.page.context().close()
})

t.test('a viewer sees who is there, is offered nothing to send, and greets by name', { skip }, async (t) => {
  const { page, gateway, errors } = await open('viewer')
  await shown(page, 'as Zoë Ångström')
  t.equal(await page.getByLabel('Microphone').first().isVisible(), false)
  gateway.admits = joined('viewer', [
    participant('Ann'),
    participant('<b>Bo</b>'),
    participant('Cy', { role: 'viewer' }),
  ])
  await press(page, 'Join')
  await shown(page, 'Planning')
  t.equal(await page.title(), 'Planning')
  t.strictSame(
    await page.locator('.tile .name').allTextContents(),
    ['Ann', '<b>Bo</b>'],
    'who only watches has no tile',
  )
  for (const name of ['Microphone', 'Camera', 'Share the screen'])
    t.equal(await page.getByRole('button', { name, exact: true }).isVisible(), false, name)
  await page.keyboard.press('p')
  await page.getByRole('heading', { name: 'People' }).waitFor()
  t.equal(await page.locator('#people li').count(), 4)
  t.equal(await page.getByRole('button', { name: 'Remove Ann' }).isVisible(), false)
  gateway.tell({ type: 'news', from: 'a newer gateway' })
  gateway.tell({ type: 'speaking', participantId: 'Ann', speaking: true })
  await page.locator('.tile.speaking .name').waitFor()
  gateway.tell({ type: 'participant', event: 'left', participant: participant('Ann') })
  await until(async () => (await page.locator('.tile').count()) === 1)
  await page.keyboard.press('Escape')
  await page.locator('#people').waitFor({ state: 'hidden' })
  await press(page, 'Leave')
  await shown(page, 'You have left the room.')
  await until(() => gateway.heard.some(({ type }) => type === 'leave'))
  await until(() => gateway.clients.size === 0)
  t.strictSame(errors, [])
})

t.test('it comes back by itself, as often as its gateway is gone', { skip }, async (t) => {
  const { page, gateway, errors } = await open('viewer')
  await press(page, 'Join')
  await shown(page, 'Planning')
  for (const times of [2, 3]) {
    gateway.cut()
    await shown(page, 'The connection was lost. Reconnecting…')
    await until(() => gateway.heard.filter(({ type }) => type === 'join').length === times)
    await page.locator('#status').waitFor({ state: 'hidden' })
  }
  gateway.admits = 4004
  for (const client of gateway.clients) client.close(4011)
  await shown(page, 'The room has ended.')
  t.strictSame(
    errors.filter((text) => !text.includes('WebSocket')),
    [],
  )
})

t.test('a host moderates from the list of people', { skip }, async (t) => {
  const { page, gateway } = await open('host', { permissions: [] })
  const voice = { kind: 'audio', source: 'microphone', muted: false }
  gateway.admits = joined('host', [participant('Ann', { tracks: [voice] })])
  await press(page, 'Join')
  await shown(page, 'Ann')
  await page.keyboard.press('p')
  await press(page, 'Mute Ann')
  await page.getByLabel('Role of Ann').selectOption('viewer')
  await press(page, 'Remove Ann')
  await press(page, 'End the room for everyone')
  await press(page, 'Cancel')
  const asked = () => gateway.heard.filter(({ type }) => !['join', 'state', 'publish'].includes(type))
  const plain = () => asked().map(({ id, ...message }) => message)
  const expected = [
    { type: 'mute', participantId: 'Ann', kind: 'audio' },
    { type: 'setRole', participantId: 'Ann', role: 'viewer' },
    { type: 'kick', participantId: 'Ann' },
  ]
  await until(() => asked().length === 3)
  t.strictSame(plain(), expected)
  await press(page, 'End the room for everyone')
  await press(page, 'End the room')
  await until(() => asked().length === 4)
  t.strictSame(plain(), [...expected, { type: 'end' }])
})

t.test('a device that is refused is told of, and one goes on without it', { skip }, async (t) => {
  const { page, gateway } = await open('participant', { permissions: [] })
  gateway.admits = joined('participant')
  await shown(page, /microphone|camera/)
  await until(() => trouble(page))
  t.match(await trouble(page), /The browser does not allow this page to use your|This device has no/)
  await keepPicture(page, 'room-refused.png')
  await press(page, 'Dismiss')
  t.equal(await trouble(page), null)
  await press(page, 'Join')
  await shown(page, 'Planning')
  await page.keyboard.press('m')
  await until(() => trouble(page))
  await page.keyboard.press('d')
  await page.getByRole('dialog').waitFor()
  await shown(page, 'Hold to speak')
})

t.test('pages of other origins join with the module alone', { skip }, async (t) => {
  if (!browser) return
  const gateway = await roomGateway(t)
  const shop = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<title>Shop</title><link rel="icon" href="data:,"><p>A page of somebody else</p>')
  })
  shop.listen(0, '127.0.0.1')
  await once(shop, 'listening')
  t.teardown(() => shop.close())
  const { page } = await watchedPage(browser)
  await page.goto(`http://localhost:${(shop.address() as AddressInfo).port}/`)
  const attempt = `import('${rooms}/client.js').then(({ join }) => join({ roomId: 'r', token: 't' }))
    .then((room) => [room.state, room.info.name, room.participants.size], (error) => [error.name, error.code])`
  const cors = { 'access-control-allow-origin': '*' }
  await page.route('**/connect?*', (route) =>
    route.fulfill({ status: 404, headers: cors, json: { error: { code: 'not_found', message: 'No room.' } } }),
  )
  t.strictSame(await page.evaluate(attempt), ['RoomError', 'not_found'])
  await page.unroute('**/connect?*')
  await gateway.serve(page)
  t.strictSame(await page.evaluate(attempt), ['joined', 'Planning', 0])
  await page.close()
})
