import { setTimeout as pause } from 'node:timers/promises'
import { config } from '#lib/config.ts'
import { guardAddresses } from '#lib/network/address-guard.ts'
import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

const timeoutMs = 60_000

interface Page {
  uri: string
  quote: string
}

export function wikiSteps(api: Api, signal: AbortSignal): Step[] {
  return [{ name: 'wiki', run: () => publishOne(api, signal) }]
}

async function publishOne(api: Api, signal: AbortSignal): Promise<string> {
  const call = <T>(method: string, path: string, body?: unknown) => ask<T>(api, method, `/v1/wiki${path}`, body)
  const made = (path: string, body: unknown) => call<{ id: string }>('POST', path, body)
  const article = await call<{ id: string; url: string }>('POST', '/articles', {
    title: 'Your first article',
    body: 'Everything published here has evidence.',
    comment: 'by the tour',
  })
  const publish = (text?: { body: string }) =>
    call('PUT', `/articles/${article.id}`, { ...text, status: 'published', base_version: 1 })
  const refusal = await publish().then(
    () => '',
    (error: Error) => error.message,
  )
  if (!refusal.includes('insufficient_evidence'))
    throw new Error(`The article was published without evidence: ${refusal}`)

  const page = await reachablePage(api, signal)
  if (!page) return 'an article without evidence was rejected. NOTICE: no page can be fetched from here as evidence'
  const source = await made('/sources', { uri: page.uri })
  const snapshot = await made(`/sources/${source.id}/snapshots`, {})
  const entity = await made('/entities', { type: 'page', labels: { en: 'The page' } })
  const claim = await made('/claims', {
    entity_id: entity.id,
    property: 'says',
    value: { type: 'string', content: page.quote },
    references: [{ source_id: source.id, snapshot_id: snapshot.id, quote: page.quote }],
    article_ids: [article.id],
  })
  const begun = performance.now()
  await proven(() => call('GET', `/claims/${claim.id}`), signal)
  const seconds = ((performance.now() - begun) / 1000).toFixed(1)
  await publish({ body: `Everything published here has evidence[^${claim.id}].` })
  return `an article without evidence was rejected; with a snapshot, taken in ${seconds} s, it is at ${article.url}`
}

async function proven(read: () => Promise<{ status: string }>, signal: AbortSignal): Promise<void> {
  const end = Date.now() + timeoutMs
  while ((await read()).status !== 'supported') {
    if (Date.now() > end) throw new Error('The claim did not become `supported` in time.')
    await pause(200, undefined, { signal })
  }
}

/**
 * Returns a web page that workers can fetch: Millrace's own page if the operator allows it, otherwise a public page
 * that responds.
 */
async function reachablePage({ base }: Api, signal: AbortSignal): Promise<Page | undefined> {
  const own = { uri: `${base}/docs/guides/start`, quote: 'Millrace is a self-hosted platform for product teams' }
  try {
    guardAddresses({ allowed: config.OUTBOUND_ALLOWED, ports: [80, 443] }).checkUrl(new URL(own.uri))
    return own
  } catch {
    const uri = 'https://example.com/'
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(3_000)])
    const answer = await fetch(uri, { signal: deadline }).catch(() => undefined)
    return answer?.ok ? { uri, quote: 'Example Domain' } : undefined
  }
}
