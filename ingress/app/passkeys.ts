import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { z } from 'zod'
import { loadLater } from '#lib/load-later.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { Db } from '#sql/db.ts'
import type { Member } from '../http/dashboard/session.ts'
import { getRelyingParty, type RelyingParty } from './relying-party.ts'

/** Loaded on first use, because a tenth of all modules of the ingress belong to this library. */
const library = loadLater('@simplewebauthn/server', () => import('@simplewebauthn/server'))

export const ResponseField = z
  .string()
  .max(12_000)
  .transform((text, ctx) => {
    const parsed = AuthenticatorResponse.safeParse(parsedJson(text))
    if (parsed.success) return parsed.data
    ctx.addIssue({ code: 'custom', message: 'must be an authenticator response' })
    return z.NEVER
  })

const AuthenticatorResponse = z.looseObject({
  id: z.string().max(1400),
  rawId: z.string().max(1400),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: z.string().max(8000) }),
  clientExtensionResults: z.looseObject({}).default({}),
})

type AuthenticatorResponse = z.output<typeof AuthenticatorResponse>

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function beginAuthentication(db: Db, origin: string, member?: Member) {
  const { rpId } = await getRelyingParty(db, origin)
  const own = member ? await passkeys.list(db, member.userId) : []
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: rpId,
    userVerification: 'required',
    allowCredentials: own.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
  })
  const { secret } = await ceremonies.begin(db, {
    kind: member ? 'step_up' : 'sign_in',
    challenge: options.challenge,
    user_id: member?.userId ?? null,
    session_id: member?.sessionId ?? null,
  })
  return { options, secret }
}

/** Returns the passkey that signed the challenge, and ends the ceremony. Returns `null` if the response is invalid. */
export async function verifyAuthentication(
  tx: Db,
  origin: string,
  challenge: string,
  response: AuthenticatorResponse,
): Promise<passkeys.Passkey | null> {
  // Loads the library before the passkey is locked.
  const { verifyAuthenticationResponse } = await library()
  const party = await getRelyingParty(tx, origin)
  const passkey = await passkeys.lockByCredential(tx, response.id)
  if (!passkey) return null
  const verified = await tried(() =>
    verifyAuthenticationResponse({
      ...expected(party, challenge),
      response: response as unknown as AuthenticationResponseJSON,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
        transports: passkey.transports,
      },
    }),
  )
  if (!verified?.verified) return null
  const { newCounter: counter, credentialBackedUp: backedUp } = verified.authenticationInfo
  await passkeys.use(tx, passkey.id, { counter, backedUp })
  return passkey
}

export async function beginRegistration(db: Db, origin: string, member: Member) {
  const { rpId } = await getRelyingParty(db, origin)
  const own = await passkeys.list(db, member.userId)
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: 'Millrace',
    rpID: rpId,
    userID: new Uint8Array(Buffer.from(member.userId.replaceAll('-', ''), 'hex')),
    userName: member.email,
    userDisplayName: member.name || member.email,
    attestationType: 'none',
    excludeCredentials: own.map(({ credential_id, transports }) => ({ id: credential_id, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  const { secret } = await ceremonies.begin(db, {
    kind: 'register',
    challenge: options.challenge,
    user_id: member.userId,
    session_id: member.sessionId,
  })
  return { options, secret }
}

/** Stores a new passkey. Returns false if the response is invalid or the passkey exists. */
export async function saveRegistration(
  tx: Db,
  origin: string,
  { challenge, userId, name }: { challenge: string; userId: string; name: string },
  response: AuthenticatorResponse,
): Promise<boolean> {
  const party = await getRelyingParty(tx, origin, { fix: true })
  const { verifyRegistrationResponse } = await library()
  const verified = await tried(() =>
    verifyRegistrationResponse({
      ...expected(party, challenge),
      response: response as unknown as RegistrationResponseJSON,
    }),
  )
  if (!verified?.verified) return false
  const { credential, credentialBackedUp } = verified.registrationInfo
  return await passkeys.insert(tx, {
    user_id: userId,
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: (credential.transports ?? []).slice(0, 10).map((each) => String(each).slice(0, 30)),
    backed_up: credentialBackedUp,
    rp_id: party.rpId,
    name,
  })
}

const expected = ({ rpId, origin }: RelyingParty, challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: origin,
  expectedRPID: rpId,
  requireUserVerification: true,
})

async function tried<T>(verify: () => Promise<T>): Promise<T | null> {
  return await verify().catch(() => null)
}
