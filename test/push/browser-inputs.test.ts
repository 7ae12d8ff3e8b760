import t from 'tap'
import { newId } from '#lib/ids.ts'
import { fieldsOf } from '../support/ingress.ts'
import { browserKit } from './browser-kit.ts'
import { pushStack, subscription } from './stack.ts'

t.setTimeout(240_000)
const stack = await pushStack(t)
const kit = await browserKit(stack)
const { app } = kit

const good = subscription()
const keys = (facts: object) => ({ ...good, keys: { ...good.keys, ...facts } })

/** What a page may send as a registration, and the fields that it is told of. */
const registrations: [body: unknown, ...fields: string[]][] = [
  [{}, 'body.subscription'],
  [[], 'body'],
  ['text', 'body'],
  [null, 'body'],
  [{ subscription: null }, 'body.subscription'],
  [{ subscription: 'https://push.example.com/1' }, 'body.subscription'],
  [{ subscription: {} }, 'body.subscription.endpoint', 'body.subscription.keys'],
  [{ subscription: { endpoint: good.endpoint } }, 'body.subscription.keys'],
  [{ subscription: { keys: good.keys } }, 'body.subscription.endpoint'],
  [{ subscription: subscription('') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('no address') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('http://push.example.com/1') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('https://127.0.0.1/1') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('https://[::1]/1') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('https://169.254.169.254/latest') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('ftp://push.example.com/1') }, 'body.subscription.endpoint'],
  [{ subscription: subscription('https://me:pw@push.example.com/1') }, 'body.subscription.endpoint'],
  [{ subscription: subscription(`https://push.example.com/${'x'.repeat(2_048)}`) }, 'body.subscription.endpoint'],
  [{ subscription: subscription('https://push.example.com/\u0000') }, 'body.subscription.endpoint'],
  [{ subscription: { ...good, endpoint: 7 } }, 'body.subscription.endpoint'],
  [{ subscription: { ...good, more: 1 } }, 'body.subscription.more'],
  [{ subscription: { ...good, expirationTime: 'soon' } }, 'body.subscription.expirationTime'],
  [{ subscription: keys({ p256dh: '' }) }, 'body.subscription.keys.p256dh'],
  [{ subscription: keys({ p256dh: 'short' }) }, 'body.subscription.keys.p256dh'],
  [{ subscription: keys({ p256dh: '+'.repeat(88) }) }, 'body.subscription.keys.p256dh'],
  [{ subscription: keys({ auth: 'short' }) }, 'body.subscription.keys.auth'],
  [{ subscription: keys({ auth: null }) }, 'body.subscription.keys.auth'],
  [{ subscription: keys({ more: 1 }) }, 'body.subscription.keys.more'],
  [{ subscription: good, installation_token: '' }, 'body.installation_token'],
  [{ subscription: good, installation_token: 7 }, 'body.installation_token'],
  [{ subscription: good, installation_token: 'a.b' }, 'body.installation_token'],
  [{ subscription: good, installation_token: 'x'.repeat(2_001) }, 'body.installation_token'],
  [{ subscription: good, user_token: '' }, 'body.user_token'],
  [{ subscription: good, user_token: 'a.b.c' }, 'body.user_token'],
  [{ subscription: good, user_token: {} }, 'body.user_token'],
  [{ subscription: good, user_token: 'x'.repeat(2_001) }, 'body.user_token'],
  [{ subscription: good, locale: 'x' }, 'body.locale'],
  [{ subscription: good, locale: `de-${'a'.repeat(40)}` }, 'body.locale'],
  [{ subscription: good, user_id: 'ann' }, 'body.user_id'],
  [{ subscription: good, app_id: app }, 'body.app_id'],
]

t.test('each bad registration is a 400 that names its fields', async (t) => {
  for (const [body, ...fields] of registrations) {
    const reply = await kit.register(body)
    t.equal(reply.status, 400, JSON.stringify(body)?.slice(0, 80))
    t.same([...new Set(fieldsOf(reply))], fields, JSON.stringify(body)?.slice(0, 80))
  }
})

t.test('an installation’s token of another app is not found; what is no removal names its field', async (t) => {
  const remove = (body: unknown) => kit.page('POST /push/v1/browser/unsubscribe', body)
  for (const body of [{}, { installation_token: '' }, { installation_token: 'a.b' }, { installation_token: 1 }]) {
    t.same(fieldsOf(await remove(body)), ['body.installation_token'])
  }
  const other = kit.signed({ app_id: newId(), installation_id: newId() }, 'push browser')
  t.equal((await remove({ installation_token: other })).status, 404)
  t.equal((await kit.register({ subscription: good, installation_token: other })).status, 404)
})

const tokens: [body: unknown, ...fields: string[]][] = [
  [{}, 'body.app_id', 'body.user_id'],
  [{ app_id: 'shop', user_id: 'ann' }, 'body.app_id'],
  [{ app_id: app, user_id: '' }, 'body.user_id'],
  [{ app_id: app, user_id: 'x'.repeat(257) }, 'body.user_id'],
  [{ app_id: app, user_id: 'a\nb' }, 'body.user_id'],
  [{ app_id: app, user_id: 'ann', expires_in: 59 }, 'body.expires_in'],
  [{ app_id: app, user_id: 'ann', expires_in: 3_601 }, 'body.expires_in'],
  [{ app_id: app, user_id: 'ann', expires_in: '600' }, 'body.expires_in'],
  [{ app_id: app, user_id: 'ann', ttl: 60 }, 'body.ttl'],
]

const publicKeys: [body: unknown, ...fields: string[]][] = [
  [{}, 'body.name', 'body.origins'],
  [{ name: '', origins: ['https://shop.example'] }, 'body.name'],
  [{ name: 'x'.repeat(101), origins: ['https://shop.example'] }, 'body.name'],
  [{ name: 'Shop', origins: [] }, 'body.origins'],
  [{ name: 'Shop', origins: 'https://shop.example' }, 'body.origins'],
  [{ name: 'Shop', origins: ['https://shop.example/'] }, 'body.origins.0'],
  [{ name: 'Shop', origins: ['*'] }, 'body.origins.0'],
  [{ name: 'Shop', origins: ['https://shop.example', 'null'] }, 'body.origins.1'],
  [{ name: 'Shop', origins: ['ftp://shop.example'] }, 'body.origins.0'],
  [{ name: 'Shop', origins: Array.from({ length: 101 }, (_, i) => `https://a${i}.example`) }, 'body.origins'],
  [{ name: 'Shop', origins: ['https://shop.example'], scopes: ['push:send'] }, 'body.scopes'],
]

t.test('so are bad tokens of users, and bad public keys', async (t) => {
  for (const [body, ...fields] of tokens) {
    t.same(fieldsOf(await stack.ask('POST /push/v1/user-tokens', { body })), fields, JSON.stringify(body))
  }
  for (const [body, ...fields] of publicKeys) {
    const reply = await stack.ask(`POST /push/v1/apps/${app}/public-keys`, { body })
    t.same(fieldsOf(reply), fields, JSON.stringify(body).slice(0, 80))
  }
})
