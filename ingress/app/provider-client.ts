import * as oidc from 'openid-client'
import { Problem } from '#lib/errors.ts'
import { createOutboundClient, type OutboundClient } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import { type Connection, sealPurpose } from '#sql/account/people/connections.ts'
import { service } from '../http/container.ts'

export const providers = service<OutboundClient>({
  name: 'identity providers',
  open: () => createOutboundClient(),
  close: (client) => client.close(),
})

const isLocal = (issuer: URL): boolean =>
  issuer.protocol === 'http:' && /^(localhost|127\.0\.0\.1)$/.test(issuer.hostname)

/**
 * Returns the provider's metadata and the client of this connection. ID tokens are verified with the keys of the
 * provider. Throws 502.
 */
export async function discoverProvider(
  client: OutboundClient,
  { id, issuer, client_id, client_secret }: Connection,
  secret: string,
): Promise<oidc.Configuration> {
  const opened = createSeal(secret, sealPurpose).open(client_secret, id)
  if (opened === null) throw new Problem(502, 'upstream_error', 'The secret for the identity provider cannot be read.')
  const url = new URL(issuer)
  return await callProvider(() =>
    oidc.discovery(url, client_id, undefined, oidc.ClientSecretPost(opened), {
      [oidc.customFetch]: guardedFetch(client),
      execute: [oidc.enableNonRepudiationChecks, ...(isLocal(url) ? [oidc.allowInsecureRequests] : [])],
      timeout: 10,
    }),
  )
}

/** Calls a provider. Errors become 502 and never contain the provider's response. */
export async function callProvider<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? ` (${String(error.code).slice(0, 60)})` : ''
    throw new Problem(502, 'upstream_error', `The identity provider returned an invalid response${why}.`)
  }
}

type Fetch = NonNullable<oidc.DiscoveryRequestOptions[typeof oidc.customFetch]>

const guardedFetch =
  (client: OutboundClient): Fetch =>
  async (url, { method, headers, body, signal }) => {
    const answer = await client.request(url, {
      method: method as 'GET' | 'POST',
      headers,
      ...(body === undefined || body === null ? {} : { body: String(body) }),
      timeout: 10_000,
      maxBytes: 512 * 1024,
      ...(signal && { signal }),
    })
    const type = answer.headers['content-type']
    return new Response(new Uint8Array(answer.body), {
      status: answer.status,
      headers: { 'content-type': typeof type === 'string' ? type : '' },
    })
  }
