import t from 'tap'
import { eicar } from '../files/archives.ts'
import { jpeg } from '../files/pictures.ts'
import { emittedTo } from '../support/emitted.ts'
import { filesStack, put } from '../support/files-stack.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { cloudApiServer } from './cloud-api-server.ts'
import { ownNumber } from './own-number.ts'

t.setTimeout(240_000)
const stack = await filesStack(t, { areas: ['whatsapp'] })
const api = await cloudApiServer(t)
const { db, ingress } = stack.base
const environment = { WHATSAPP_API: api.url, WHATSAPP_TIMEOUT_MS: '3000', CLAMD_SOCKET: stack.clamd.socket }
const start = () => stack.base.startWorkers(environment, 'core,scan,whatsapp')
let workers = await start()
const own = await ownNumber({ api, db, ingress }, ['whatsapp:send', 'whatsapp:manage', 'files:read', 'files:write'])

const now = () => String(Math.floor(Date.now() / 1000))
let people = 5_750_000
async function person(): Promise<string> {
  const phone = `+372${people++}`
  await own.webhook({
    messages: [{ from: phone.slice(1), id: `wamid.${phone}`, timestamp: now(), type: 'text', text: { body: 'Hi' } }],
  })
  return phone
}

/** Uploads a file to the files area and returns its object ID. */
async function uploaded(bytes: Buffer, facts: { filename: string; content_type: string }): Promise<string> {
  return await upload('/v1/files/uploads', bytes, { product_key: 'shop', tenant_id: 'acme', ...facts })
}

async function upload(path: string, bytes: Buffer, facts: object): Promise<string> {
  const started = await own.ask(`POST ${path}`, { body: { byte_size: bytes.length, ...facts } })
  await put(started.body, bytes)
  const { object_id } = started.body
  await own.ask(`POST /v1/files/uploads/${object_id}/complete`, { body: {} })
  await until(
    async () => {
      const { body } = await own.ask(`GET /v1/files/objects/${object_id}`)
      return !['pending', 'scanning'].includes(body.scan_status)
    },
    { timeout: 30_000, what: 'it is judged' },
  )
  return object_id
}

const picture = await uploaded(jpeg, { filename: 'cat "1".jpg', content_type: 'image/jpeg' })
const sendPicture = (to: string, image: object) => own.ask('POST /v1/whatsapp/send', { body: { to, image } })

t.test('a clean object goes out by its id at Meta, to which it was uploaded', async (t) => {
  const to = await person()
  const sent = await sendPicture(to, { object_id: picture, caption: 'A cat' })
  t.match(sent, { status: 200, body: { type: 'image', status: 'accepted' } }, sent.text)
  const [upload = ''] = api.things.uploads
  t.ok(upload.includes(jpeg.toString('latin1')), 'its very bytes')
  t.ok(upload.includes('filename="cat %221%22.jpg"'))
  t.ok(upload.includes('name="messaging_product"\r\n\r\nwhatsapp'))
  t.same(api.sent().at(-1)?.body.image, { caption: 'A cat', id: '900000000000001' })
  const header = { type: 'header', parameters: [{ type: 'image', image: { object_id: picture } }] }
  const template = { name: 'welcome', language: { code: 'en' }, components: [header] }
  t.equal((await own.ask('POST /v1/whatsapp/send-template', { body: { to, template } })).status, 200)
  t.match(api.sent().at(-1)?.body.template.components[0].parameters[0].image.id, /^9/)
})

t.test('what is not clean, not a picture, not one’s own, or not to be read by the key is refused', async (t) => {
  const to = await person()
  const before = api.received.length
  const infected = await uploaded(eicar, { filename: 'a.txt', content_type: 'text/plain' })
  const text = await uploaded(Buffer.from('a letter'), { filename: 'letter.txt', content_type: 'text/plain' })
  for (const object_id of [infected, text]) {
    const refused = await sendPicture(to, { object_id })
    t.equal(refused.status, 400)
    t.same(fieldsOf(refused), ['body.image.object_id'], refused.text)
  }
  const document = { document: { object_id: text, filename: 'letter.txt' } }
  const other = await ownNumber({ api, db, ingress }, ['whatsapp:send', 'whatsapp:manage', 'files:read'])
  t.same(fieldsOf(await other.ask('POST /v1/whatsapp/send', { body: { to, ...document } })), [
    'body.document.object_id',
  ])
  const mayNotRead = await ownNumber({ api, db, ingress })
  t.equal((await mayNotRead.ask('POST /v1/whatsapp/send', { body: { to, ...document } })).status, 403)
  t.equal(api.received.slice(before).filter(({ path }) => path.endsWith('/media')).length, 0)
  t.equal((await own.ask('POST /v1/whatsapp/send', { body: { to, ...document } })).status, 200)
})

t.test('the version goes out that is served, whatever the first one was found to be', async (t) => {
  const to = await person()
  for (const [first, again] of [
    [Buffer.from('prices of May'), 'prices of June'],
    [eicar, 'prices of July'],
  ] as const) {
    const object_id = await uploaded(first, { filename: 'prices.txt', content_type: 'text/plain' })
    await upload(`/v1/files/objects/${object_id}/versions`, Buffer.from(again), { content_type: 'text/plain' })
    const sent = await own.ask('POST /v1/whatsapp/send', { body: { to, document: { object_id } } })
    t.equal(sent.status, 200, sent.text)
    t.ok(api.things.uploads.at(-1)?.includes(again), again)
  }
})

t.test('a worker that is killed in the middle of an upload loses and doubles nothing', async (t) => {
  const to = await person()
  const { promise: begun, resolve } = Promise.withResolvers<void>()
  api.things.nextUpload = [() => resolve()]
  const before = api.sent().length
  const sending = sendPicture(to, { object_id: picture })
  await begun
  await workers.kill()
  workers = await start()
  const sent = await sending
  await until(async () => (await own.ask(`GET /v1/whatsapp/messages/${sent.body.id}`)).body.status === 'accepted', {
    timeout: 30_000,
    what: 'it is sent',
  })
  t.equal(api.sent().length, before + 1)
})

let files = 0
/** Sends a file as a person and returns the message. */
async function sends(type: string, bytes: Buffer, more: Record<string, unknown> = {}) {
  const [phone, id] = [await person(), `88${String(++files).padStart(10, '0')}`]
  const { mime_type = 'image/jpeg', url, sha256, ...content } = more
  api.things.files.set(id, {
    bytes,
    type: String(mime_type),
    ...(typeof url === 'string' && { url }),
    ...(typeof sha256 === 'string' && { sha256 }),
  })
  const message = {
    from: phone.slice(1),
    id: `wamid.file.${files}`,
    timestamp: now(),
    type,
    [type]: { id, mime_type, ...content },
  }
  for (const _ of [1, 2]) t.equal((await own.webhook({ messages: [message] })).status, 200)
  const listed = await own.ask(`GET /v1/whatsapp/messages?direction=inbound&phone=${encodeURIComponent(phone)}&limit=1`)
  return listed.body.data[0]
}
const settled = (id: string) =>
  until(
    async () => {
      const { body } = await own.ask(`GET /v1/whatsapp/messages/${id}`)
      return body.media?.state !== 'pending' && body
    },
    { timeout: 30_000, what: 'the file is through the gate' },
  )

t.test('what a person sends passes the gate, and can be downloaded once it is clean', async (t) => {
  const message = await sends('image', jpeg)
  const { media } = await settled(message.id)
  t.match(media, { state: 'stored', reason: null })
  const { body } = await own.ask(`POST /v1/files/objects/${media.object_id}/download-url`, { body: {} })
  t.same(Buffer.from(await (await fetch(body.download_url)).arrayBuffer()).subarray(0, 3), jpeg.subarray(0, 3))
  t.match(
    emittedTo(own.orgId)
      .filter(({ type }) => type === 'whatsapp.message.received')
      .at(-1)?.data,
    {
      type: 'image',
      has_media: true,
    },
  )
  const stranger = await testOrg(db, ['files:read'])
  t.equal((await ingress.ask(`GET /v1/files/objects/${media.object_id}`, { key: stranger.keys.main })).status, 404)
})

t.test('malware, what is too large, damaged, gone, or on a host that is none of Meta’s is not to be had', async (t) => {
  const infected = await sends('document', eicar, { mime_type: 'text/plain', filename: '../in\nvoice.txt' })
  t.match((await settled(infected.id)).media, { state: 'refused', object_id: null, reason: 'infected' })
  const cases: [Promise<{ id: string }>, string][] = [
    [sends('sticker', Buffer.alloc(600_000), { mime_type: 'image/webp' }), 'too_large'],
    [sends('image', jpeg, { sha256: '0'.repeat(64) }), 'damaged'],
    [sends('image', jpeg, { url: 'http://169.254.169.254/latest/meta-data' }), 'refused'],
    [sends('image', jpeg, { url: 'https://meta.example.com/a' }), 'refused'],
    [sends('image', jpeg, { url: `${api.url}/files/unknown` }), 'gone'],
  ]
  for (const [sent, reason] of cases) {
    t.match((await settled((await sent).id)).media, { state: 'failed', object_id: null, reason }, reason)
  }
})
