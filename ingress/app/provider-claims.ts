import * as oidc from 'openid-client'
import { type EmailAddress, parseAddress } from '#lib/email-address.ts'
import { forbidden } from '#lib/errors.ts'
import type { Connection } from '#sql/account/people/connections.ts'
import { callProvider } from './provider-client.ts'

type Tokens = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>

/** Claims of the scopes `email` and `profile`. A provider can omit any of them. */
export interface Profile {
  email?: unknown
  email_verified?: unknown
  name?: unknown
}

/**
 * Returns the claims of a new user. If the ID token lacks an email claim, calls UserInfo, because in the code flow a
 * provider can return the claims only there (OIDC Core 5.4). Throws 502.
 */
export async function readProfile(
  provider: oidc.Configuration,
  tokens: Tokens,
  claims: oidc.IDToken,
): Promise<Profile> {
  const said = pick(claims)
  const isComplete = said.email !== undefined && said.email_verified !== undefined
  if (isComplete || provider.serverMetadata().userinfo_endpoint === undefined) return said
  const told = pick(await callProvider(() => oidc.fetchUserInfo(provider, tokens.access_token, claims.sub)))
  // The email address and its verification must come from the same response.
  const { email, email_verified } = told.email === undefined ? said : told
  return { email, email_verified, name: said.name ?? told.name }
}

const pick = ({ email, email_verified, name }: oidc.IDToken | oidc.UserInfoResponse): Profile => ({
  email,
  email_verified,
  name,
})

/** Returns the verified email address. Throws 403 with the name of the missing claim. */
export function readVerifiedEmail(
  { email, email_verified: mark }: Profile,
  { takes_unmarked_email }: Pick<Connection, 'takes_unmarked_email'>,
): EmailAddress {
  if (email === undefined || email === null || email === '') throw forbidden(lacks('email'))
  const address = typeof email === 'string' ? parseAddress(email) : ''
  if (typeof address === 'string')
    throw forbidden('The `email` claim of your identity provider is not an email address.')
  if (mark === true || mark === 'true') return address
  if (mark !== undefined && mark !== null) {
    throw forbidden('Your identity provider has not verified your email address (`email_verified` is false).')
  }
  if (takes_unmarked_email) return address
  throw forbidden(`${lacks('email_verified')} An owner can also connect the provider with "Email verification" set.`)
}

const lacks = (claim: string) =>
  `Your identity provider returned no \`${claim}\` claim, in the ID token or from UserInfo. Ask its administrator to return it for the scope \`email\`.`
