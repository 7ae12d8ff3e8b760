import { webhooks } from 'millrace'

export async function POST(request) {
  const secret = process.env.WEBHOOK_SECRET
  const event = await webhooks.verify(await request.text(), request.headers, secret).catch(() => undefined)
  if (!event) return Response.json({ error: 'The signature is invalid.' }, { status: 401 })
  console.log(event.type, event.data)
  return new Response(null, { status: 204 })
}
