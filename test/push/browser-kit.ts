import { signToken } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as users from '#sql/push/users.ts'
import type { Reply } from '../support/ingress.ts'
import { type PushStack, secret } from './stack.ts'

/** The page that the public key is for. */
const shop = 'https://shop.example'

interface From {
  origin?: string | undefined
  key?: string
}

/** What the tests of browsers have in common: an app, its public key, and a page that asks with it. */
export async function browserKit(stack: PushStack) {
  const { ask, db, orgId } = stack
  const app = await stack.app()
  const siteKey = async (scopes: string[], locks: keys.Locks = { app_id: app, origins: [shop] }): Promise<string> =>
    (await keys.create(db, { orgId, prefix: 'bt_site_', name: 'page', scopes, locks })).secret
  const publicKey = await siteKey(['push:receipt', 'push:subscribe'])

  const page = (request: string, body?: unknown, from: From = {}): Promise<Reply> => {
    const origin = 'origin' in from ? from.origin : shop
    const headers = origin === undefined ? {} : { origin }
    return ask(request, { key: from.key ?? publicKey, headers, ...(body !== undefined && { body }) })
  }
  return {
    app,
    publicKey,
    siteKey,
    page,
    register: (body: unknown, from?: From) => page('POST /push/v1/browser', body, from),
    /** A token of the customer's server for a person. */
    async tokenOf(user_id: string, facts: object = {}, key = stack.key): Promise<string> {
      const { status, body, text } = await ask('POST /push/v1/user-tokens', {
        key,
        body: { app_id: app, user_id, ...facts },
      })
      if (status !== 200) throw new Error(`A token is refused with ${status}: ${text}`)
      return body.token
    },
    /** A token as the service signs it. */
    signed: (facts: Record<string, unknown>, purpose = 'push user'): string =>
      signToken(purpose, { app_id: app, exp: Date.now() / 1000 + 60, ...facts }, secret),
    /** A server key, and how it is revoked. */
    async serverKey() {
      const made = await keys.create(db, { orgId, prefix: 'bt_live_', name: 'server', scopes: ['push:send'] })
      return { id: made.id, key: made.secret, revoke: () => keys.revoke(db, orgId, made.id) }
    },
    addUser: (user_id: string) => users.put(db, { org_id: orgId, app_id: app, user_id }),
    ofUser: async (user: string) =>
      (await ask(`GET /push/v1/apps/${app}/installations?user_id=${user}`)).body.data as { id: string }[],
  }
}
