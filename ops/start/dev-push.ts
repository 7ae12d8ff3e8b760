import { hashSecret } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { openPool } from '#sql/db.ts'
import { type Api, askAgain } from '../video-client.ts'

export interface DevPush {
  app_id: string
  user_id: string
  installation_id: string
  /** Web page that acts as a device of this user for 24 hours. */
  demo_url: string
}

const [appName, userId] = ['dev', 'demo']

interface App {
  id: string
  name: string
  vapid_public_key: string | null
}

export interface DevPushSeed {
  facts: DevPush
  publicKey: string
}

/**
 * Adds an app with a user and the installation of the demo page to the organisation `dev` through the API. Keeps data
 * of the last start. `baseUrl` is the URL for browsers.
 */
export async function seedPush(
  api: Api,
  {
    databaseUrl,
    baseUrl,
    last,
    keptKey,
  }: { databaseUrl: string; baseUrl: string; last: DevPush | undefined; keptKey: string | undefined },
): Promise<DevPushSeed> {
  const app = (await findApp(api)) ?? (await askAgain<App>(api, 'POST', '/push/v1/apps', { name: appName }))
  const { id: installation_id, stream } = await askAgain<{ id: string; stream: { token: string } }>(
    api,
    'POST',
    '/push/v1/installations',
    {
      app_id: app.id,
      user_id: userId,
      push_provider: 'sse',
      platform: 'web',
      ...(last && { token: last.installation_id }),
    },
  )
  const publicKey = await bindKey(databaseUrl, app.id, keptKey)
  const fragment = new URLSearchParams({ token: stream.token, key: publicKey, app: app.id, user: userId })
  if (app.vapid_public_key) fragment.set('vapid', app.vapid_public_key)
  const demo_url = `${baseUrl}/push/demo#${fragment}`
  return { facts: { app_id: app.id, user_id: userId, installation_id, demo_url }, publicKey }
}

/** Returns the oldest app with this name, because a developer can have added other apps. */
async function findApp(api: Api): Promise<App | undefined> {
  let found: App | undefined
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: App[]; next_cursor: string | null } = await askAgain(
      api,
      'GET',
      `/push/v1/apps?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )
    found = page.data.findLast(({ name }) => name === appName) ?? found
    cursor = page.next_cursor
  }
  return found
}

/** Returns a public key that can report receipts only for this app. Returns the stored key if it still works. */
async function bindKey(databaseUrl: string, appId: string, kept: string | undefined): Promise<string> {
  const db = await openPool(databaseUrl, 1)
  try {
    const caller = kept === undefined ? null : await keys.findCaller(db, hashSecret(kept))
    if (kept !== undefined && caller?.key.locks.app_id === appId && caller.key.scopes.includes('push:receipt'))
      return kept
    const org = await orgs.findByName(db, 'dev')
    if (!org) throw new Error('The organisation dev does not exist.')
    const wanted = { orgId: org.id, name: 'push_public', scopes: ['push:receipt'], locks: { app_id: appId } }
    return (await keys.create(db, { ...wanted, prefix: 'bt_site_' })).secret
  } finally {
    await db.end()
  }
}
