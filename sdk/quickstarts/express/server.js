import express from 'express'
import { Millrace, webhooks } from 'millrace'
import { createTransport } from 'nodemailer'

const { EMAIL_FROM, MILLRACE_API_KEY, PORT, SMTP_HOST, SMTP_PORT, WEBHOOK_SECRET } = process.env
const tenant_id = 'demo' // Use the ID of your customer, from the session.
const millrace = new Millrace() // Reads MILLRACE_BASE_URL and MILLRACE_API_KEY.

const smtp = createTransport({
  host: SMTP_HOST,
  port: Number(SMTP_PORT),
  requireTLS: true,
  auth: { user: 'millrace', pass: MILLRACE_API_KEY },
  // On a development machine, Millrace has a self-signed certificate.
  tls: { rejectUnauthorized: SMTP_HOST !== '127.0.0.1' },
})

const app = express()
app.use(express.static('public'))

// The signature covers the raw bytes, so no parser can run before this route.
app.post('/hooks', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  const event = await webhooks.verify(request.body, request.headers, WEBHOOK_SECRET).catch(() => undefined)
  if (!event) return response.status(401).json({ error: 'The signature is invalid.' })
  console.log(event.type, event.data)
  response.sendStatus(204)
})

app.post('/email', express.json(), async ({ body = {} }, response) => {
  const { id } = await millrace.email.messages.create({
    stream: 'transactional',
    from: { email: EMAIL_FROM },
    to: body.to,
    subject: 'Welcome',
    html: '<p>This email was sent with the <b>SDK</b>.</p>',
  })
  response.status(202).json({ id })
})

app.post('/email-by-smtp', express.json(), async ({ body = {} }, response) => {
  const sent = await smtp.sendMail({
    from: EMAIL_FROM,
    to: String(body.to),
    subject: 'Welcome',
    text: 'This email was sent by SMTP.',
  })
  response.status(202).json({ reply: sent.response })
})

app.post('/files', express.raw({ type: '*/*', limit: '20mb' }), async (request, response) => {
  const { object_id, scan_status } = await millrace.uploadFile(request.body, {
    product_key: 'shop',
    tenant_id,
    filename: String(request.query.name),
    content_type: request.get('content-type') ?? 'application/octet-stream',
  })
  response.status(201).json({ id: object_id, verdict: scan_status })
})

app.get('/files/:id', async ({ params }, response) => {
  const { scan_status } = await millrace.files.objects.read(params.id, { tenant_id })
  if (scan_status !== 'clean') return response.json({ id: params.id, verdict: scan_status })
  const { download_url } = await millrace.files.objects.downloadUrl(params.id, { tenant_id })
  response.json({ id: params.id, verdict: scan_status, url: download_url })
})

app.use((error, _request, response, _next) => {
  const status = error.code === 'EENVELOPE' ? 400 : error.status
  const isInvalid = [400, 404, 413].includes(status)
  if (!isInvalid) console.error(error)
  response.status(isInvalid ? status : 500).json({ error: isInvalid ? error.message : 'Try again later.' })
})

app.listen(Number(PORT), () => console.log(`http://localhost:${PORT}`))
