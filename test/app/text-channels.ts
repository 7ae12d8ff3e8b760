type Made = (request: string, body: unknown) => Promise<unknown>

/** Adds the texts of an event type, a chat channel, an SMS provider and a text message. */
export async function addTextChannels(made: Made): Promise<void> {
  await made('PUT /v1/notify/texts', {
    type: 'order.shipped',
    locale: 'en',
    title: 'Order {{data.order}} is on its way',
  })
  await made('POST /v1/notify/connections', {
    kind: 'slack',
    name: '#orders',
    url: 'https://hooks.slack.com/services/T000/B000/XXXX',
  })
  const twilio = { account_sid: 'AC00000000000000000000000000000001', auth_token: '0f1e2d3c4b5a69788796a5b4c3d2e1f0' }
  await made('POST /v1/sms/providers', { name: 'Twilio', kind: 'twilio', from: '+3725550100', twilio })
  await made('POST /v1/sms/messages', { to: '+37255501234', text: 'Your order is ready.' })
}
