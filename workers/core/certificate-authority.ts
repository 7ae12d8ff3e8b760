import { AsyncLocalStorage } from 'node:async_hooks'
import { Agent } from 'node:https'
import { rootCertificates } from 'node:tls'
import type * as acme from 'acme-client'
import {
  AuthorityFault,
  type CertificateAuthority,
  type Challenge,
  type Order,
} from '#tasks/video/rules/domains/certificate-authority.ts'
import { explainOrder, toAuthorityFault } from './authority-faults.ts'

export interface AuthorityOptions {
  directoryUrl: string
  contact: string | null
  /** Additional trusted root in PEM for the authority's server. */
  extraRoot?: string | undefined
  /** External account binding: an account that was created outside ACME (RFC 8555 §7.3.4). */
  binding?: { kid: string; hmacKey: string } | undefined
}

const timeoutMs = 20_000
const maxAnswerBytes = 1024 * 1024

/** Abort signal of the current call. The ACME library has no parameter for a signal. */
const calls = new AsyncLocalStorage<AbortSignal>()

/** Creates the client of a certificate authority (RFC 8555). Create one per process. */
export function openAuthority({ directoryUrl, contact, extraRoot, binding }: AuthorityOptions): CertificateAuthority {
  let loading: Promise<typeof acme> | undefined
  /** Loads the library on first use. Loading takes a fifth of a second, and few workers need the library. */
  const library = () => {
    loading ??= import('acme-client').then((loaded) => reachBy(loaded, extraRoot))
    return loading
  }
  let latest: { key: string; url: string | null; client: acme.Client } | undefined

  /** Caches the directory of the authority for a day. */
  async function clientFor({ key, url }: { key: string; url: string | null }): Promise<acme.Client> {
    if (latest?.key === key && latest.url === url) return latest.client
    const options = { directoryUrl, accountKey: key, ...(url && { accountUrl: url }) }
    const { Client } = await library()
    const client = new Client({ ...options, ...(binding && { externalAccountBinding: binding }) })
    latest = { key, url, client }
    return client
  }

  const challengeOf = async (client: acme.Client, authorization: acme.Authorization): Promise<Challenge> => {
    const found = authorization.challenges.find(({ type }) => type === 'http-01')
    if (!found)
      throw new AuthorityFault('refused', 'The certificate authority offers no HTTP-01 challenge for the name.')
    const answer = await client.getChallengeKeyAuthorization(found)
    return { url: found.url, token: found.token, answer, begun: found.status !== 'pending' }
  }

  return {
    directoryUrl,
    contact,
    register: (key, signal) =>
      calls.run(signal, async () => {
        const client = await clientFor({ key, url: null })
        await client.createAccount({ termsOfServiceAgreed: true, contact: contact ? [`mailto:${contact}`] : [] })
        latest = undefined
        return client.getAccountUrl()
      }),
    order: (account, hostname, signal) =>
      calls.run(signal, async () => {
        const identifiers = [{ type: 'dns', value: hostname }]
        const client = await clientFor(account)
        return (await client.createOrder({ identifiers })).url
      }),
    poll: (account, orderUrl, signal) =>
      calls.run(signal, async (): Promise<Order> => {
        const client = await clientFor(account)
        const order = await client.getOrder({ url: orderUrl } as acme.Order)
        if (order.status === 'ready' || order.status === 'processing') return { status: order.status }
        if (order.status === 'valid') return { status: 'valid', chain: await client.getCertificate(order) }
        const authorizations = await client.getAuthorizations(order)
        if (order.status !== 'pending') return { status: 'invalid', fault: explainOrder(order, authorizations) }
        const open = authorizations.filter(({ status }) => status === 'pending')
        return { status: 'pending', challenges: await Promise.all(open.map((one) => challengeOf(client, one))) }
      }),
    begin: (account, { url }, signal) =>
      calls.run(signal, async () => {
        const client = await clientFor(account)
        await client.completeChallenge({ url } as Parameters<acme.Client['completeChallenge']>[0])
      }),
    finalize: (account, orderUrl, hostname, key, signal) =>
      calls.run(signal, async () => {
        const client = await clientFor(account)
        const [, request] = await (await library()).crypto.createCsr({ altNames: [hostname] }, key)
        await client.finalizeOrder(await client.getOrder({ url: orderUrl } as acme.Order), request)
      }),
  }
}

/**
 * Makes the library send requests with our limits: bounded size, aborted by their signal, sent once. Rejected requests
 * throw an error with its kind.
 */
function reachBy(library: typeof acme, extraRoot: string | undefined): typeof acme {
  const { defaults, interceptors } = library.axios
  defaults.timeout = timeoutMs
  defaults.maxContentLength = maxAnswerBytes
  if (extraRoot) defaults.httpsAgent = new Agent({ ca: [...rootCertificates, extraRoot] })
  // The library's interceptors would wait for Retry-After within an attempt and hide connection errors.
  interceptors.request.clear()
  interceptors.response.clear()
  interceptors.request.use((request) => {
    const signal = calls.getStore()
    return { ...request, validateStatus: null, ...(signal && { signal }) }
  })
  interceptors.response.use(
    (answer) => {
      const fault = toAuthorityFault(answer)
      if (fault) throw fault
      return answer
    },
    (error: Error) => {
      calls.getStore()?.throwIfAborted()
      throw new AuthorityFault('away', 'The certificate authority cannot be reached.', { cause: error })
    },
  )
  return library
}
