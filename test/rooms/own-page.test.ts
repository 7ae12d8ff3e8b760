import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import t from 'tap'
import { chromiumPath, watchedPage } from '../support/browser.ts'
import { startTalkers } from '../support/room-pages.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { sdkSite } from '../support/sdk-site.ts'
import { until } from '../support/until.ts'

t.setTimeout(300_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'
const sdk = new URL('../../sdk/node/', import.meta.url)

t.test(
  'the example of sixty lines joins by the SDK, from another origin, and shows all that it has',
  { skip },
  async (t) => {
    const example = await readFile(new URL('examples/room.html', sdk), 'utf8')
    t.ok(example.split('\n').length <= 61)
    const stack = await roomsStack(t)
    const [{ browser }, address] = await Promise.all([startTalkers(t), sdkSite(t), stack.startRooms()])
    const roomId = await stack.makeRoom({ name: 'Weekly planning', waitingRoom: true })
    const open = async (token: string) => {
      const context = await browser.newContext()
      t.teardown(() => context.close().catch(() => {}))
      const watched = await watchedPage(context)
      await watched.page.goto(`${address}/room.html?${new URLSearchParams({ base: stack.ingress.url, token })}`)
      return watched
    }
    const issue = async (identity: string, displayName: string, role: string) => {
      const issued = await stack.token(roomId, identity, { displayName, role })
      await stack.place(roomId, issued.token)
      return await open(issued.token)
    }
    const ann = await issue('ann', 'Ann', 'host')
    await ann.page.getByRole('heading', { name: 'Weekly planning' }).waitFor()
    const bo = await issue('bo', 'Bo', 'participant')
    await bo.page.getByText('Weekly planning: waiting for a host to admit you').waitFor()
    const waiting = () => stack.ask(`GET /v1/stream/rooms/${roomId}/waiting`)
    const { waitingId } = (await waiting()).body.data[0]
    await stack.ask(`POST /v1/stream/rooms/${roomId}/waiting/${waitingId}/admit`)
    await bo.page.getByRole('heading', { name: 'Weekly planning', exact: true }).waitFor()

    const press = (page: typeof ann.page, name: string) => page.getByRole('button', { name, exact: true }).click()
    for (const name of ['Microphone', 'Camera', 'Screen']) await press(bo.page, name)
    const come = `[...document.querySelectorAll('#tiles > *')].filter((one) => one.localName === 'audio' || one.videoWidth > 0)
    .map(({ id }) => id.split('-').at(-1)).sort().join()`
    await until(async () => (await ann.page.evaluate(come)) === 'camera,microphone,screen', {
      timeout: 60_000,
      what: 'the camera is seen beside the screen',
    })
    await press(bo.page, 'Hand')
    await ann.page.getByText('Bo has raised a hand').waitFor()
    await bo.page.getByLabel('Message').fill('Hello <b>Ann</b>')
    await press(bo.page, 'Send')
    for (const { page } of [ann, bo]) await page.getByText('Bo: Hello <b>Ann</b>').waitFor()
    await press(bo.page, 'Screen')
    await until(async () => (await ann.page.evaluate(come)) === 'camera,microphone', { timeout: 30_000 })
    const late = await issue('cy', 'Cy', 'host')
    await late.page.getByText('Bo: Hello <b>Ann</b>').waitFor()
    await stack.ask(`DELETE /v1/stream/rooms/${roomId}`)
    for (const { page } of [ann, bo, late]) await page.getByText('The room has ended.').waitFor()
    for (const { errors } of [ann, bo, late]) t.strictSame(errors, [])
    const refused = await open(`${Buffer.from(JSON.stringify({ room: roomId })).toString('base64url')}.x`)
    await refused.page.getByText('The token is not valid for this room.').waitFor()
  },
)
