import { conflict, notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as connections from '#sql/account/people/connections.ts'
import type { Db } from '#sql/db.ts'
import { demandOwner } from './authority.ts'
import { type Doer, toAct } from './doer.ts'

/** New identity provider. lib/http must allow the URL of `issuer`. */
export interface NewProvider
  extends Pick<
    connections.Connection,
    'issuer' | 'client_id' | 'client_secret' | 'domains' | 'required' | 'default_role' | 'takes_unmarked_email'
  > {}

const ownerWords = 'Only an owner can connect identity providers, in the dashboard.'

/**
 * Connects an identity provider and seals its client secret with `secret`. If the provider is required, other sessions
 * end, except those of owners. Throws 403, and 409 `already_connected`.
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
  if (made.required) await sessions.endSessionsWithoutProvider(tx, doer.orgId)
  const { issuer, domains, required, default_role, takes_unmarked_email } = made
  const after = { issuer, domains, required, default_role, takes_unmarked_email }
  await audit.append(tx, { ...toAct(doer), action: 'provider.connected', target: id, after })
  return made
}

/**
 * Sets whether email addresses of verified domains count as verified if the provider does not return `email_verified`.
 * If nothing changes, nothing is recorded. Throws 403.
 */
export async function setEmailVerification(tx: Db, doer: Doer, id: string, takesUnmarked: boolean): Promise<void> {
  await demandOwner(tx, doer, 'sso', ownerWords)
  const issuer = await connections.setTakesUnmarkedEmail(tx, doer.orgId, id, takesUnmarked)
  if (issuer === null) return
  const after = { issuer, takes_unmarked_email: takesUnmarked }
  await audit.append(tx, { ...toAct(doer), action: 'provider.changed', target: id, after })
}

export async function disconnectProvider(tx: Db, doer: Doer, id: string): Promise<void> {
  await demandOwner(tx, doer, 'sso', ownerWords)
  const issuer = await connections.remove(tx, doer.orgId, id)
  if (issuer === null) throw notFound('identity provider')
  await audit.append(tx, { ...toAct(doer), action: 'provider.disconnected', target: id, before: { issuer } })
}
