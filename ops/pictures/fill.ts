type Body = Record<string, unknown>

/** Calls that give each area something to show. `{name}` is the ID in the response of an earlier call. */
const calls: readonly (readonly [request: string, body?: Body, name?: string])[] = [
  ['POST /send/v1/contacts', { email: 'ann@people.example', consent_source: 'shop' }],
  [
    'POST /send/v1/templates',
    { name: 'Order', subject: 'Order {{number}}', html: '<h1>Hello {{name}}</h1><p>Thank you.' },
  ],
  ['POST /send/v1/segments', { name: 'Regulars', conditions: [{ field: 'tag', op: 'has', value: 'regular' }] }],
  ['POST /push/v1/apps', { name: 'Shop' }, 'app'],
  ['POST /push/v1/installations', { app_id: '{app}', user_id: 'user-17', push_provider: 'sse', platform: 'web' }],
  ['POST /push/v1/messages', { app_id: '{app}', target: { type: 'user', id: 'user-17' }, title: 'Shipped' }],
  ['PUT /v1/notify/people/customer-17', { name: 'Ann', email: 'ann@people.example', locale: 'de-AT' }],
  [
    'PUT /v1/notify/workflows/order-shipped',
    {
      name: 'Order shipped',
      product_key: 'shop',
      type: 'order.shipped',
      steps: [
        { type: 'channel', channel: 'in_app' },
        { type: 'wait', minutes: 10, until: 'unread' },
        { type: 'channel', channel: 'email', conditions: [{ field: 'person.email', operator: 'not_empty' }] },
      ],
    },
  ],
  ['POST /v1/notify/workflows/order-shipped/publish'],
  [
    'POST /v1/notify/events',
    { product_key: 'shop', type: 'order.shipped', subject_user_id: 'customer-17', title: 'On its way' },
  ],
  ['POST /v1/bots', { name: 'Help desk', system_prompt: 'Be kind and short.', fallback: 'I do not know.' }, 'bot'],
  ['POST /v1/bots/{bot}/sources', { url: 'https://www.example.com/returns', refresh_hours: 24 }],
  ['POST /v1/bots/{bot}/chat', { message: 'When does my bike arrive?' }],
  ['POST /v1/guard/sites', { name: 'Sign-up', origins: ['https://shop.example'] }],
  ['POST /v1/streaming/playlists', { title: 'First rides' }],
  ['POST /v1/account/webhooks', { url: 'https://www.example.com/hooks', types: ['*'], name: 'Production events' }],
  ['POST /v1/account/keys', { name: 'Shop backend', scopes: ['email:send', 'push:send'] }],
]

/** Fills the organisation of the key through the API, once. Returns the calls that were rejected. */
export async function fill(origin: string, key: string): Promise<string[]> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const before = await fetch(`${origin}/v1/bots`, { headers })
  if (((await before.json()) as { data?: unknown[] }).data?.length) return []
  const ids = new Map<string, string>()
  const faults: string[] = []
  for (const [request, body, name] of calls) {
    const filled = `${request} ${body ? JSON.stringify(body) : ''}`.replace(
      /\{(\w+)\}/g,
      (all, id) => ids.get(id) ?? all,
    )
    const [method = '', path = '', ...json] = filled.split(' ')
    const reply = await fetch(origin + path, { method, headers, ...(body && { body: json.join(' ') }) })
    const text = await reply.text()
    if (!reply.ok) faults.push(`${request}: ${reply.status} ${text.slice(0, 200)}`)
    else if (name) ids.set(name, (JSON.parse(text) as { id: string }).id)
  }
  return faults
}
