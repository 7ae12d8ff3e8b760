import { existsSync } from 'node:fs'
import t from 'tap'
import { browserCookie, signedIn } from '../app/fixture.ts'
import { chromiumPath, keepPicture, startBrowser, troubleTold, watchedPage } from '../support/browser.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { makeChannel } from './on-air.ts'

const skip = existsSync(chromiumPath) ? false : `${chromiumPath} is missing: apt-get install chromium`
const stack = await videoStack(t, { areas: ['app', 'account', 'directory'] })
const { ask } = stack

t.test('the watch page shows a countdown and the chat, and members moderate it', { skip }, async (t) => {
  const channelId = await makeChannel(stack)
  const path = `/v1/stream/live/channels/${channelId}`
  const startsAt = new Date(Date.now() + 26 * 3_600_000).toISOString()
  await ask(`POST ${path}/schedule`, { body: { title: 'Questions & answers', description: 'With Ada', startsAt } })
  await ask(`PATCH ${path}/chat`, { body: { opens: 'always' } })
  const session = (await ask(`POST ${path}/playback-sessions`, { body: {} })).body
  const token = async (body: object) => (await ask(`POST ${path}/chat/tokens`, { body })).body.token
  const [ada, mo] = [
    await token({ userId: 'ada', name: 'Ada' }),
    await token({ userId: 'mo', name: 'Mo', role: 'moderator', canClip: true }),
  ]
  const browser = await startBrowser(t)
  const { page } = await watchedPage(browser)
  await page.goto(`${session.embedUrl}#chat=${ada}`)
  t.match(await troubleTold(page), /has not started/)
  await page.getByText(/Starts in 1 day 0[12]:\d\d:\d\d/).waitFor()
  await page.getByText('Questions & answers').waitFor()
  const calendar = await page.getByRole('link', { name: 'Add to calendar' }).getAttribute('href')
  t.match(await (await fetch(calendar ?? '')).text(), /SUMMARY:Questions & answers/)

  const { page: other } = await watchedPage(browser)
  await other.goto(`${session.embedUrl}#chat=${mo}`)
  await page.getByLabel('Message', { exact: true }).fill('<img src=x onerror=alert(1)> https://example.com')
  await page.getByRole('button', { name: 'Send' }).click()
  const said = other.getByText('<img src=x onerror=alert(1)> https://example.com')
  await said.waitFor()
  t.equal(await other.locator('mill-chat li a, mill-chat li img').count(), 0, 'links are text')
  await keepPicture(page, 'watch-chat.png')
  await other.getByRole('log', { name: 'Chat' }).focus()
  for (const name of ['Delete message: Ada', 'Ban: Ada']) {
    await other.keyboard.press('Tab')
    const focused = `document.querySelector('mill-chat').shadowRoot.activeElement?.ariaLabel`
    t.equal(await other.evaluate(focused), name, 'the Tab key reaches the button')
  }
  await other.getByRole('button', { name: 'Clip the last minute' }).click()
  await other
    .getByRole('status')
    .getByText(/no broadcast in progress/)
    .waitFor()

  const context = await browser.newContext()
  const { url } = stack.ingress
  await context.addCookies([browserCookie(url, await signedIn(stack.db, url, stack.orgId, 'developer'))])
  const app = await context.newPage()
  await app.goto(`${url}/app/live/${channelId}`)
  await app.getByRole('rowheader', { name: 'Questions & answers' }).waitFor()
  await app.getByRole('link', { name: 'Chat', exact: true }).click()
  await app.getByText('https://example.com').waitFor()
  await keepPicture(app, 'chat-moderation.png')
  await app.getByRole('link', { name: 'Ban', exact: true }).click()
  await app.getByRole('button', { name: 'Ban', exact: true }).click()
  await page.getByPlaceholder(/You are banned/).waitFor()
  await said.waitFor({ state: 'detached' })
  await app.getByRole('link', { name: 'Remove ban' }).waitFor()
  await app.goto(`${url}/app/live/${channelId}/schedule/new`)
  await app.getByLabel('Title').fill('Second')
  await app.getByLabel('Start (UTC)').fill(new Date(Date.now() + 86_400_000).toISOString().slice(0, 16))
  await app.getByRole('button', { name: 'Schedule broadcast' }).click()
  await until(async () => (await ask(`GET ${path}/schedule`)).body.data.length === 2, { what: 'it is scheduled' })
})
