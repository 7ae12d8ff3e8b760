import { hash } from 'node:crypto'
import { OutboundError } from '#lib/network/address-guard.ts'
import { toStorableText } from '#lib/outside-text.ts'
import type { Db } from '#sql/db.ts'
import * as secrets from '#sql/notify/fetch-secrets.ts'
import { defaultTimeout, type FetchStep } from '#sql/notify/fetch-step.ts'
import type { FetchResult } from '#sql/notify/run-fetches.ts'
import type { DueRun } from '#sql/notify/runs.ts'
import type { Tools } from '../../pools.ts'
import { findUrlFault, isLocalOrg, selectOutbound } from '../../webhooks/rules/endpoint-url.ts'
import { computeSignature } from '../../webhooks/rules/sign.ts'
import type { Facts } from './conditions.ts'
import { fillFetchUrl } from './fetch-url.ts'
import { readFields } from './fetched-fields.ts'

/** Maximum size of a response in bytes. */
export const mostResponseBytes = 64 * 1024

export interface CallTools extends Pick<Tools['webhooks'], 'outbound' | 'local' | 'seal'> {
  db: Db
  signal: AbortSignal
}

/** Result of one attempt. With `isFinal: false`, another attempt can succeed. */
export type CallOutcome = FetchResult & { isFinal: boolean }

interface ServerCall {
  run: DueRun
  number: number
  step: FetchStep
  facts: Facts
}

/**
 * Sends the request of a `fetch` step once, signed like webhooks (Standard Webhooks 1.0), over guarded connections.
 * Redirects are not followed.
 */
export async function callServer(call: ServerCall, tools: CallTools): Promise<CallOutcome> {
  const { run, step, facts } = call
  const url = fillFetchUrl(step.url, facts)
  if (!url) return failed('bad_url', 'The values of the placeholders do not result in a valid URL.')
  const fault = findUrlFault(url.href, { local: await isLocalOrg(tools.db, run.org_id) })
  if (fault !== undefined) return failed('bad_url', `The URL ${fault}.`)
  const body = step.method === 'POST' ? JSON.stringify(bodyOf(call)) : ''
  const headers = await signed(call, body, tools)
  if (!headers) return failed('unsigned', 'The signing secret is missing or cannot be decrypted. Rotate it.')
  const outbound = await selectOutbound(run.org_id, tools)
  try {
    const { status, body: received } = await outbound.request(url.href, {
      method: step.method ?? 'GET',
      headers,
      ...(step.method === 'POST' && { body }),
      timeout: (step.timeout_seconds ?? defaultTimeout) * 1_000,
      maxBytes: mostResponseBytes,
      redirects: 0,
      holder: `${run.org_id} fetch`,
      signal: tools.signal,
    })
    return resultOf(status, received)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const isFinal = !['timed_out', 'connection_failed'].includes(error.shown)
    return { ...failed(error.shown, error.message), isFinal }
  }
}

const failed = (reason: string, error: string, http_status: number | null = null): CallOutcome => ({
  ...{ status: 'failed', http_status, fields: {}, reason, error: toStorableText(error, 500), isFinal: true },
})

function resultOf(status: number, body: Buffer): CallOutcome {
  if (status < 200 || status >= 300) {
    const isFinal = status < 500 && status !== 408 && status !== 429
    return { ...failed('http_status', `The server returned ${status}.`, status), isFinal }
  }
  const fields = readFields(new TextDecoder().decode(body))
  if (!fields) return failed('not_json', 'The response is not JSON.', status)
  return { status: 'done', http_status: status, fields, reason: null, error: null, isFinal: true }
}

const bodyOf = ({ run, step, facts }: ServerCall) => ({
  ...{ run_id: run.id, workflow: run.workflow, version: run.version, step: step.name },
  event: {
    ...{ id: run.event_id, product_key: run.product_key, type: run.type, title: run.title },
    ...{ body: run.body, url: run.url, data: run.data },
  },
  user_id: run.subject ?? run.user_id,
  person: facts.person,
})

/** Returns the headers with a signature of `id.timestamp.body` for each valid secret. A GET request has an empty body. */
async function signed({ run, number }: ServerCall, body: string, { db, seal }: CallTools) {
  const stored = await secrets.find(db, run.org_id)
  const isKept = stored?.previous_until && stored.previous_until > new Date()
  const [secret, previous] = [stored?.secret, isKept ? stored.previous_secret : null].map(
    (sealed) => sealed && seal.open(sealed, secrets.getSecretContext(run.org_id)),
  )
  if (!secret) return undefined
  const id = `fetch_${hash('sha256', `${run.id} ${number}`, 'hex').slice(0, 32)}`
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const signatures = [secret, previous].flatMap((key) =>
    key ? [computeSignature(key, `${id}.${timestamp}.${body}`)] : [],
  )
  return {
    accept: 'application/json',
    ...(body !== '' && { 'content-type': 'application/json' }),
    'user-agent': 'Millrace-Notify/1.0',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
