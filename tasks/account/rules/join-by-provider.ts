import type { EmailAddress } from '#lib/email-address.ts'
import { forbidden } from '#lib/errors.ts'
import type * as audit from '#sql/account/audit.ts'
import * as connections from '#sql/account/people/connections.ts'
import * as members from '#sql/account/people/members.ts'
import * as users from '#sql/account/people/users.ts'
import type { Db } from '#sql/db.ts'
import { recordJoin } from './record-join.ts'

/** Claims about a user. `email` is a verified address. `null` for known users. */
export interface ProviderClaims {
  subject: string
  email: EmailAddress | null
  name: string
}

/**
 * Returns the user of a subject. A new user joins with an email address that the provider has verified, in a domain
 * that the organisation has verified by DNS. Throws 403 otherwise.
 */
export async function joinByProvider(
  tx: Db,
  connection: connections.Connection,
  { subject, email, name }: ProviderClaims,
  about: Pick<audit.Act, 'requestId' | 'network'>,
): Promise<users.User> {
  const known = await connections.findUserId(tx, connection.id, subject)
  if (known !== null) return await mustBe(users.find(tx, known))
  if (!email) throw forbidden('Your account was changed during this sign-in. Sign in again.')
  if (
    !connection.domains.includes(email.domain) ||
    !(await connections.isDomainVerified(tx, connection.id, email.domain))
  ) {
    throw forbidden(`Your organisation has not verified the domain ${email.domain}.`)
  }
  const made = await users.insert(tx, { email: email.address, name, verified: true })
  const user = made ?? (await mustBe(users.findByEmail(tx, email.address)))
  const { id: connection_id, org_id: orgId, issuer, default_role: role } = connection
  if (!(await connections.identify(tx, { connection_id, issuer, subject, user_id: user.id }))) {
    throw forbidden('Another sign-in to this account finished first. Sign in again.')
  }
  await members.lock(tx, orgId)
  if (await members.insert(tx, { org_id: orgId, user_id: user.id, role, invited_by: null })) {
    await recordJoin(tx, orgId, user, role, about, { email: user.email, issuer })
  }
  return user
}

async function mustBe(found: Promise<users.User | null>): Promise<users.User> {
  const user = await found
  if (!user) throw forbidden('This user no longer exists.')
  return user
}
