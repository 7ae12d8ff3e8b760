import { timingSafeEqual } from 'node:crypto'
import { badRequest, conflict, forbidden, notFound } from '#lib/errors.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as browsers from '#sql/push/browsers.ts'
import { lockInstallation, lockTokens } from '#sql/push/device-locks.ts'
import type { Installation } from '#sql/push/installations.ts'
import * as registrations from '#sql/push/registrations.ts'
import type { User } from '#sql/push/users.ts'

/**
 * Maximum number of browsers of a user. It prevents a person with a user token from turning one message into a million.
 */
const most = 1_000

interface BrowserRegistration {
  org_id: string
  app_id: string
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
  /** Installation that the browser has proved to be its own. */
  installationId: string | undefined
  /** User in the token that the customer’s server created. */
  pushUserId: string | undefined
  locale: string | undefined
}

/** A browser’s installation. `anonymous` is true if it is not linked to a user. */
type Browser = Installation & { anonymous: boolean }

/**
 * Registers a browser, or replaces its subscription in one transaction, so that a message always finds exactly one
 * subscription. Throws 403 if the endpoint belongs to another browser, 404 if the installation was deleted, 400 if the
 * user was deleted, and 409 if the user has too many browsers.
 */
export async function registerBrowser(db: DatabasePool, wanted: BrowserRegistration): Promise<Browser> {
  return await db.transaction((tx) => register(tx, wanted))
}

async function register(tx: Db, wanted: BrowserRegistration): Promise<Browser> {
  const { org_id, app_id, subscription, installationId, locale } = wanted
  const { endpoint: token, keys } = subscription
  // All registrations lock in this order: installation, tokens, rows.
  if (installationId !== undefined) await lockInstallation(tx, installationId)
  const before = installationId === undefined ? null : await browsers.find(tx, app_id, installationId)
  await lockTokens(
    tx,
    [token, ...(before ? [before.token] : [])].map((token) => ({ app_id, provider: 'webpush', token })),
  )
  const { own, there } = await browsers.lock(tx, app_id, { endpoint: token, id: installationId })
  // Only the browser itself knows its keys (RFC 8291 §3). Someone who only knows the endpoint cannot take it over.
  if (there && there.id !== own?.id && !hasKeys(there, keys)) {
    throw forbidden('This subscription is already registered by another browser.')
  }
  const known = there ?? own
  if (installationId !== undefined && !known) throw notFound('installation')
  const user = await personOf(tx, wanted, known?.push_user_id)
  if (user && known?.push_user_id !== user.id && (await browsers.hasAtLeast(tx, user.id, most))) {
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

/**
 * Returns the user of a browser: the given user, otherwise the previous one. Returns `null` for a new anonymous
 * browser.
 */
async function personOf(
  tx: Db,
  { app_id, pushUserId }: BrowserRegistration,
  before: string | undefined,
): Promise<User | null> {
  const id = pushUserId ?? before
  if (id === undefined) return null
  const user = await browsers.lockUser(tx, app_id, id)
  if (user) return user
  if (pushUserId === undefined) throw notFound('installation')
  throw badRequest([{ field: 'body.user_token', issue: 'must be for a user who has not been deleted' }])
}
