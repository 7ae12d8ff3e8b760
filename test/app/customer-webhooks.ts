type Make = (request: string, body: unknown) => Promise<{ id: string }>

/** Adds an event type, and an app with an endpoint and a message. */
export async function addCustomerWebhooks(made: Make): Promise<void> {
  const schema = { type: 'object', properties: { amount: { type: 'number' } } }
  const type = { name: 'invoice.paid', description: 'An invoice was paid.', schema, example: { amount: 1900 } }
  await made('POST /v1/hooks/event-types', type)
  const app = await made('POST /v1/hooks/apps', { name: 'Acme Ltd', uid: 'customer-1042', metadata: { plan: 'pro' } })
  await made(`POST /v1/hooks/apps/${app.id}/endpoints`, {
    url: 'http://127.0.0.1:9/',
    description: 'Production',
    types: ['invoice.paid'],
    filters: [{ path: 'amount', op: 'gt', value: 5 }],
    headers: { 'X-Team': 'billing' },
    rate: { limit: 100, per: 'minute' },
  })
  const message = { event_type: 'invoice.paid', payload: { amount: 1900 }, tags: ['vip'], event_id: 'evt-1' }
  await made(`POST /v1/hooks/apps/${app.id}/messages`, message)
}
