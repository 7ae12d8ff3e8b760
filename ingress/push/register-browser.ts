import { timingSafeEqual } from 'node:crypto'
import { badRequest, conflict, forbidden, notFound } from '#lib/errors.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as browsers from '#sql/push/browsers.ts'
import { lockTokens } from '#sql/push/device-locks.ts'
import type { Installation } from '#sql/push/installations.ts'
import * as registrations from '#sql/push/registrations.ts'
import type { User } from '#sql/push/users.ts'

/** Browsers that a person may have: whoever has a token of theirs does not make a message to them a message to a million. */
const most = 1_000

/** A browser as a page of an app registers it. */
interface BrowserRegistration {
  org_id: string
  app_id: string
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  /** The installation that it has shown to be its own. */
  installationId: string | undefined
  /** The person whom a token of the customer's server names. */
  pushUserId: string | undefined
  locale: string | undefined
}

/** A browser's installation, and whether nobody has said whose it is. */
type Browser = Installation & { anonymous: boolean }

/**
 * Registers a browser, or puts its new subscription in the place of the one before, so that a message meets one of them at every
 * instant. Throws 403 where the endpoint is another browser's, 404 where the installation is gone, 400 where the
 * person is, 409 where they have too many.
 */
export async function registerBrowser(db: DatabasePool, wanted: BrowserRegistration): Promise<Browser> {
  return await db.transaction((tx) => register(tx, wanted))
}

async function register(tx: Db, wanted: BrowserRegistration): Promise<Browser> {
  const { org_id, app_id, subscription, installationId, locale } = wanted
  const { endpoint: token, keys } = subscription
  const before = installationId === undefined ? null : await browsers.find(tx, app_id, installationId)
  // Tokens before rows, as every registration takes them.
  await lockTokens(tx, { app_id, provider: 'webpush' }, before ? [token, before.token] : [token])
  const { own, there } = await browsers.lock(tx, app_id, { endpoint: token, id: installationId })
  // Only the browser itself knows its keys (RFC 8291 §3): whoever has heard of an endpoint does not take it over.
  if (there && there.id !== own?.id && !hasKeys(there, keys)) {
    throw forbidden('This subscription is registered by another browser.')
  }
  const known = there ?? own
  if (installationId !== undefined && !known) throw notFound('installation')
  const user = await personOf(tx, wanted, known?.push_user_id)
  if (user && known?.push_user_id !== user.id && (await browsers.hasMany(tx, user.id, most))) {
    throw conflict(`A user can have up to ${most} browsers.`)
  }
  const device = await registrations.register(
    tx,
    {
      org_id,
      app_id,
      push_user_id: user?.id ?? null,
      provider: 'webpush',
      environment: 'production',
      token,
      keys,
      platform: known?.platform ?? 'web',
      locale: locale ?? known?.locale ?? null,
    },
    own?.token,
  )
  return { ...device, anonymous: (user?.user_id ?? null) === null }
}

const hasKeys = (
  { keys: theirs }: Installation,
  { p256dh, auth }: BrowserRegistration['subscription']['keys'],
): boolean => theirs !== null && isSame(theirs.p256dh, p256dh) && isSame(theirs.auth, auth)

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

/** Whose browser it is: who is named, or who it was before; null for a new one of nobody yet. */
async function personOf(
  tx: Db,
  { app_id, pushUserId }: BrowserRegistration,
  before: string | undefined,
): Promise<User | null> {
  const id = pushUserId ?? before
  if (id === undefined) return null
  const user = await browsers.holdUser(tx, app_id, id)
  if (user) return user
  if (pushUserId === undefined) throw notFound('installation')
  throw badRequest([{ field: 'body.user_token', issue: 'must be for a user who has not been deleted' }])
}
