import '../support/push-environment.ts'
import { join } from 'node:path'
import t from 'tap'
import { createPushEngine } from '../../workers/push/engine.ts'
import { noFirefox, openFirefox } from '../support/firefox.ts'
import { readGuide } from '../support/guide.ts'
import { serversOf } from '../support/push-servers/all.ts'
import { startAutopush } from '../support/push-servers/autopush.ts'
import { startPushedSite } from '../support/push-servers/browser.ts'
import { makeCertificate } from '../support/push-servers/certificate.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'
import { pushStack } from './stack.ts'

t.setTimeout(240_000)

const stack = await pushStack(t)
const { ask } = stack
const certificate = await makeCertificate(t)
const engine = createPushEngine(serversOf({}, certificate.cert))
t.teardown(() => engine.close())
stack.providers.send = engine.send
await stack.startWorkers()

t.test(
  'Firefox decrypts, shows and renews by itself, from the click on the guide’s page',
  { skip: noFirefox },
  async (t) => {
    const folder = t.testdir()
    const service = await startAutopush(t, certificate)
    const site = await startPushedSite(t, join(folder, 'shop'))
    const guide = await readGuide('ingress/push/README.md')
    const app: string = (await ask('POST /push/v1/apps', { body: { name: 'Shop' } })).body.id
    await runGuide(guide, {
      folder,
      baseUrl: stack.ingress.url,
      apiKey: stack.key,
      sections: ['Register browsers (Web Push)'],
      replace: { 8090: String(site.port) },
      environment: { APP_ID: app },
      only: ({ code }) => !code.includes('Tomorrow'),
    })

    const firefox = await openFirefox(t, {
      // What drives Firefox turns its push off, unless told to leave preferences alone.
      'remote.prefs.recommended': false,
      'dom.push.connection.enabled': true,
      'dom.push.serverURL': service.url,
      'dom.push.testing.allowInsecureServerURL': true,
      'dom.push.retryBaseInterval': 100,
      'permissions.default.desktop-notification': 1,
      'alerts.useSystemBackend': false,
    })
    await firefox.goto(`http://localhost:${site.port}/`)
    await firefox.click('#subscribe')
    const text = () => firefox.evaluate(`document.querySelector('#state').textContent`)
    await until(async () => (await text()) === 'Subscribed.', { what: 'the page has subscribed' })
    const devices = async () => (await ask(`GET /push/v1/apps/${app}/installations`)).body.data
    const [{ id }] = await devices()
    t.match(await devices(), [{ user_id: 'user-17', token_end: service.endpoints[0]?.slice(-8) }])

    const displayed = async (title: string) => {
      const sent = await stack.send(app, 'user-17', { title })
      await until(async () => (await ask(`GET /push/v1/messages/${sent.id}`)).body.counts.displayed === 1, {
        what: title,
      })
    }
    await displayed('Shipped')
    t.same(service.codes, [100], 'the browser has read it')
    const titles = `navigator.serviceWorker.ready.then((one) => one.getNotifications()).then((all) => all.map((one) => one.title))`
    t.same(await firefox.evaluate(titles), ['Shipped'])

    service.forget()
    await until(() => service.endpoints.length === 2, { timeout: 60_000, what: 'the browser subscribes again' })
    await until(async () => (await devices())[0].token_end === service.endpoints[1]?.slice(-8), { what: 'it is told' })
    t.match(await devices(), [{ id, user_id: 'user-17', status: 'active' }])
    await displayed('Delivered')
    t.same(firefox.errors, [])
  },
)
