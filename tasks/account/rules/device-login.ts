import type { z } from 'zod'
import { badRequest, conflict, forbidden, Problem } from '#lib/errors.ts'
import { makeSecret } from '#lib/tokens.ts'
import * as audit from '#sql/account/audit.ts'
import * as logins from '#sql/account/device-logins.ts'
import * as users from '#sql/account/people/users.ts'
import type { Db } from '#sql/db.ts'
import { readAuthority } from './authority.ts'
import { createUserCode, type DeviceInput, hashUserCode } from './device-code.ts'
import { actingUserId, type Doer, toAct } from './doer.ts'
import { NewKeyInput } from './key-input.ts'
import { type IssuedKey, issueKey } from './keys.ts'

export interface StartedLogin {
  device_code: string
  user_code: string
  login: logins.DeviceLogin
}

/** Starts a login. Returns null if too many logins are open. */
export async function startLogin(
  db: Db,
  given: z.output<typeof DeviceInput>,
  { network, signing }: { network: string; signing: string },
): Promise<StartedLogin | null> {
  const [device_code, user_code] = [makeSecret(), createUserCode()]
  const login = await logins.insert(db, {
    ...given,
    ...{ network, device_code, user_hash: hashUserCode(user_code, signing) },
  })
  return login && { device_code, user_code, login }
}

/**
 * Approves a login with the permissions of the member. The key is created when the device collects it. All rules are
 * checked now, so that the member sees the errors.
 */
export async function approveLogin(
  tx: Db,
  by: Doer,
  login: logins.DeviceLogin,
  granted: logins.Granted,
): Promise<void> {
  await demandIssuable(tx, by, login, granted)
  await decideLogin(tx, by, login, granted)
  const { name, scopes, mode } = granted
  const after = { client_name: login.client_name, name, scopes, mode, expires_at: granted.expires_at }
  await audit.append(tx, { ...toAct(by), action: 'device_login.approved', target: login.id, after })
}

export async function denyLogin(tx: Db, by: Doer, login: logins.DeviceLogin): Promise<void> {
  await readAuthority(tx, by)
  await decideLogin(tx, by, login, null)
  const after = { client_name: login.client_name, network: login.network }
  await audit.append(tx, { ...toAct(by), action: 'device_login.denied', target: login.id, after })
}

async function decideLogin(tx: Db, by: Doer, login: logins.DeviceLogin, granted: logins.Granted | null): Promise<void> {
  const userId = actingUserId(by)
  if (userId === null) throw forbidden('Only members can approve a device login.')
  if (!(await logins.decide(tx, login.id, { orgId: by.orgId, userId, granted })))
    throw conflict('This code was already used or has expired. Start the login again in your program.')
}

class Checked extends Error {}

/** Creates the key and takes it back. Throws the errors that the creation would throw. */
async function demandIssuable(tx: Db, by: Doer, login: logins.DeviceLogin, granted: logins.Granted): Promise<void> {
  try {
    await tx.transaction(async (inner) => {
      await issueKey(inner, by, toKeyInput(granted), login.client_name)
      throw new Checked()
    })
  } catch (error) {
    if (!(error instanceof Checked)) throw error
  }
}

function toKeyInput({ name, scopes, mode, expires_at }: logins.Granted): z.output<typeof NewKeyInput> {
  const parsed = NewKeyInput.safeParse({ name, scopes, mode, expires_at })
  if (parsed.success) return parsed.data
  throw badRequest(
    parsed.error.issues.map(({ path, message }) => ({ field: `body.${String(path[0])}`, issue: message })),
  )
}

export type Collected = { key: IssuedKey; orgId: string } | { refusal: Problem }

/**
 * Creates the key of an approved login with the current permissions of the member who approved it. Returns refusals
 * instead of throwing them, because the commit must count the request.
 */
export async function collectKey(
  tx: Db,
  deviceCode: string,
  about: Pick<Doer, 'requestId' | 'network'>,
): Promise<Collected> {
  const login = await logins.poll(tx, deviceCode)
  if (!login?.open || login.state === 'used') return { refusal: expired() }
  if (login.state === 'denied') return { refusal: denied('The member denied the request.') }
  const { org_id: orgId, user_id: userId, granted } = login
  if (!orgId || !userId || !granted) return { refusal: login.early ? slowDown(login) : pending(login) }
  const user = await users.find(tx, userId)
  if (!user) return { refusal: denied('The member who approved the request no longer exists.') }
  const doer: Doer = { ...about, orgId, actor: { kind: 'user', id: userId, name: user.email } }
  const key = await issueKey(tx, doer, toKeyInput(granted), login.client_name).catch(denyForbidden)
  await logins.use(tx, login.id, key.id)
  return { key, orgId }
}

/** The role of the member can have changed since the approval. */
function denyForbidden(error: unknown): never {
  throw error instanceof Problem && error.status === 403 ? denied(error.message) : error
}

const denied = (message: string) => new Problem(400, 'access_denied', message)

const expired = () =>
  new Problem(400, 'expired_token', 'The device code is unknown, was used or has expired. Start the login again.')

const pending = ({ interval_seconds }: logins.DeviceLogin) =>
  new Problem(400, 'authorization_pending', 'The member has not decided yet. Ask again after `Retry-After` seconds.', {
    retryAfter: interval_seconds,
  })

const slowDown = ({ interval_seconds }: logins.DeviceLogin) =>
  new Problem(400, 'slow_down', `Wait ${interval_seconds} seconds between two requests.`, {
    retryAfter: interval_seconds,
  })
