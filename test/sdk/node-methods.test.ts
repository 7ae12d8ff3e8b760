import { test } from 'tap'
import { readContract } from '../../sdk/generate/document.ts'
import { Millrace } from '../../sdk/node/src/index.ts'

/** A client that notes what it sends in place of sending it, and is answered with an empty page. */
function noting() {
  const sent: { verb: string; path: string; headers: Headers; body: unknown }[] = []
  const note = async (url: string, { method: verb = '', headers = {}, body }: RequestInit = {}) => {
    const given = body === undefined ? undefined : JSON.parse(String(body))
    sent.push({
      verb,
      path: new URL(url).pathname,
      headers: new Headers(headers as Record<string, string>),
      body: given,
    })
    // A stream that gets 204 does not come back.
    const isStream = new Headers(headers as Record<string, string>).get('accept') === 'text/event-stream'
    return isStream ? new Response(null, { status: 204 }) : new Response('{"data":[],"next_cursor":null}')
  }
  return { client: new Millrace({ baseUrl: 'http://a', apiKey: 'k', fetch: note as typeof fetch }), sent }
}

test('every operation of the API is a method that asks for just that', async (t) => {
  const { client, sent } = noting()
  const { methods } = readContract()
  t.ok(methods.length > 200)
  for (const { id, node, verb, path, pathParameters, body, query, paged, streams, open, idempotent } of methods) {
    // biome-ignore lint/suspicious/noExplicitAny: the place is found by its name.
    const place = node.slice(0, -1).reduce((at: any, step) => at[step], client)
    const given = [...pathParameters.map(({ name }) => `the-${name}`), ...(body || query.length > 0 ? [{}] : [])]
    const answer = place[node.at(-1) ?? ''](...given)
    if (streams && verb === 'GET') {
      for await (const _ of answer) t.fail('an event')
    } else await answer
    const [request] = sent.splice(0)
    t.equal(`${request?.verb} ${request?.path}`, `${verb} ${path.replace(/\{(\w+)\}/g, 'the-$1')}`, id)
    t.equal(request?.headers.get('authorization'), open ? null : 'Bearer k', `${id}: key`)
    t.equal(request?.headers.has('idempotency-key'), idempotent, `${id}: idempotency key`)
    t.same(request?.body, body ? {} : undefined, `${id}: body`)
    if (paged) t.type(answer[Symbol.asyncIterator], 'function')
  }
})

test('push has the names of the contract', (t) => {
  const { client } = noting()
  const names =
    'send getMessage messageTrace registerInstallation registerUser receipt listApps createApp getApp appStats appInsights'
      .concat(' listInstallations listDeliveries listWebhooks createWebhook testWebhook listTemplates createTemplate')
      .split(' ')
  for (const name of names) t.type(client.push[name as 'send'], 'function', name)
  t.end()
})
