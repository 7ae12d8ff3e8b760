import { conflict, notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/browser-sessions.ts'
import * as connections from '#sql/account/connections.ts'
import type { Db } from '#sql/db.ts'
import { demandOwner } from './authority.ts'
import { actOf, type Doer } from './doer.ts'

/** An identity provider as an owner gives it; `issuer` is a URL that lib/http lets be reached. */
export interface NewProvider
  extends Pick<
    connections.Connection,
    'issuer' | 'client_id' | 'client_secret' | 'domains' | 'required' | 'default_role' | 'takes_unmarked_email'
  > {}

const ownerWords = 'Only an owner can connect identity providers, in the dashboard.'

/**
 * Has members sign in at an identity provider; its secret is sealed by `secret`. Where it is required, sessions that began otherwise
 * end, but owners'. Throws 403, and 409 `already_connected`.
 */
export async function connectProvider(
  tx: Db,
  doer: Doer,
  provider: NewProvider,
  secret: string,
): Promise<Omit<connections.Connection, 'client_secret'>> {
  await demandOwner(tx, doer, 'sso', ownerWords)
  const id = newId()
  const client_secret = createSeal(secret, connections.sealPurpose).close(provider.client_secret, id)
  const made = await connections.insert(tx, { ...provider, id, org_id: doer.orgId, client_secret })
  if (!made) throw conflict('This client of this issuer is already connected.', 'already_connected')
  if (made.required) await sessions.endBypassing(tx, doer.orgId)
  const { issuer, domains, required, default_role, takes_unmarked_email } = made
  const after = { issuer, domains, required, default_role, takes_unmarked_email }
  await audit.append(tx, { ...actOf(doer), action: 'provider.connected', target: id, after })
  return made
}

/**
 * Sets whether addresses of proven domains count as verified if the provider does not return `email_verified`. Throws 403. Nothing is
 * on record if nothing changes.
 */
export async function setEmailVerification(tx: Db, doer: Doer, id: string, takesUnmarked: boolean): Promise<void> {
  await demandOwner(tx, doer, 'sso', ownerWords)
  const issuer = await connections.setTakesUnmarkedEmail(tx, doer.orgId, id, takesUnmarked)
  if (issuer === null) return
  const after = { issuer, takes_unmarked_email: takesUnmarked }
  await audit.append(tx, { ...actOf(doer), action: 'provider.changed', target: id, after })
}

/** Ends it: who signed in there alone signs in by mail from then on. Throws 403 and 404. */
export async function disconnectProvider(tx: Db, doer: Doer, id: string): Promise<void> {
  await demandOwner(tx, doer, 'sso', ownerWords)
  const issuer = await connections.remove(tx, doer.orgId, id)
  if (issuer === null) throw notFound('identity provider')
  await audit.append(tx, { ...actOf(doer), action: 'provider.disconnected', target: id, before: { issuer } })
}
