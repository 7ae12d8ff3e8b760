import type { Context } from 'koa'
import { Problem } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as known from '#sql/account/people/known-places.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { Db } from '#sql/db.ts'
import { mailCode } from '#tasks/account/mail-code.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { getKnownBrowser } from '../http/dashboard/cookies.ts'
import type { Member } from '../http/dashboard/session.ts'

/**
 * Maximum number of codes per email address in 15 minutes and per day: from one network, and from all networks. These
 * limits also limit the number of guesses. Browsers and networks from which the person has signed in before count
 * separately, so that attackers cannot use up the person's codes.
 */
const limits = { network: { soon: 5, day: 20 }, all: { soon: 30, day: 100 } }

interface CodeRequest {
  kind: 'mail' | 'mail_step_up'
  email: string
  userId: string | undefined
  sessionId?: string
  to?: string | undefined
}

/** Sends a code to an email address. Returns the secret for the browser. Throws 429 after too many requests. */
export async function requestCode(
  tx: Db,
  { ctx, ip }: { ctx: Context; ip: string },
  { kind, email, userId, sessionId, to }: CodeRequest,
): Promise<string> {
  const network = getLoggedNetwork(ip)
  const place = userId === undefined ? null : await known.find(tx, userId, { browser: getKnownBrowser(ctx), network })
  const asked = await ceremonies.countCodeRequests(tx, email, { network, place })
  const over = ({ soon, day }: ceremonies.Asked, most: ceremonies.Asked) => soon >= most.soon || day >= most.day
  if (over(asked.here, limits.network) || (!place && over(asked.all, limits.all))) {
    const message = 'Too many codes were requested for this address. Wait 15 minutes, or use a passkey.'
    throw new Problem(429, 'rate_limited', message, { retryAfter: 900 })
  }
  const ceremony = await ceremonies.begin(tx, {
    kind,
    email,
    user_id: userId ?? null,
    session_id: sessionId ?? null,
    details: { network, ...(place && { place }), ...(to !== undefined && { to }) },
  })
  await enqueue(tx, mailCode, { ceremonyId: ceremony.id })
  return ceremony.secret
}

/**
 * True if a code by email can confirm the identity. A member with a passkey must use it, so that access to the mailbox
 * is not sufficient. Sessions of an identity provider are confirmed there.
 */
export async function mayUseCode(db: Db, { method, userId }: Pick<Member, 'method' | 'userId'>): Promise<boolean> {
  return method !== 'oidc' && (await passkeys.list(db, userId)).length === 0
}
