import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { sql } from '#sql/db.ts'
import { preview as previewTask } from '#tasks/files/preview.ts'
import { previewHours } from '#tasks/files/rules/keys.ts'
import { releaseObject } from '#tasks/files/rules/pass.ts'
import { isInstalled } from '../../workers/sandbox/programs.ts'
import { filesStack } from '../support/files-stack.ts'
import { pdf } from '../support/pdf.ts'
import { encryptedPdf } from './tools.ts'

t.setTimeout(240_000)
const stack = await filesStack(t)
const { ask, send, settled } = stack
const { db, store } = stack.base
await stack.base.startWorkers({ CLAMD_SOCKET: stack.clamd.socket }, 'core,scan,media-intake')
const folder = t.testdir()

/** A PDF of some pages, each with a rectangle of its own colour. */
const coloured = (colours: readonly string[], box?: string) =>
  pdf(
    colours.map((colour) => `${colour} rg 0 0 300 600 re f`),
    box,
  )

/** Size and middle pixel of a picture, by another decoder. */
function look(bytes: Buffer): { width: number; height: number; middle: number[] } {
  writeFileSync(`${folder}/look.jpg`, bytes)
  const probe = [
    '-v',
    'error',
    '-show_entries',
    'stream=width,height,codec_name',
    '-of',
    'csv=p=0',
    `${folder}/look.jpg`,
  ]
  const [codec, width, height] = execFileSync('ffprobe', probe).toString().trim().split(',')
  t.equal(codec, 'mjpeg')
  const crop = [
    '-v',
    'error',
    '-i',
    `${folder}/look.jpg`,
    '-vf',
    'crop=2:2',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ]
  return { width: Number(width), height: Number(height), middle: [...execFileSync('ffmpeg', crop).subarray(0, 3)] }
}
const sent = async (bytes: Buffer, facts: object) => {
  const { object_id } = (await send(bytes, facts)).body
  t.match(await settled(object_id), { scan_status: 'clean' })
  return object_id as string
}
const preview = (id: string, body: object = {}) => ask(`POST /v1/files/objects/${id}/preview-url`, { body })
const shown = async (id: string, body: object = {}) => {
  const reply = await preview(id, body)
  if (reply.status !== 200) throw new Error(reply.text)
  const got = await fetch(reply.body.preview_url)
  t.equal(got.headers.get('content-type'), 'image/jpeg')
  return look(Buffer.from(await got.arrayBuffer()))
}
const near = (found: readonly number[], wanted: readonly number[]) =>
  t.ok(
    found.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) < 16),
    `${found} is ${wanted}`,
  )

t.test('a page of a PDF is drawn, as large as is asked for', async (t) => {
  const id = await sent(coloured(['1 0 0', '0 0 1']), { filename: 'two.pdf', content_type: 'application/pdf' })
  const first = await shown(id, { size: 400 })
  t.match(first, { width: 200, height: 400 })
  near(first.middle, [255, 0, 0])
  near((await shown(id, { page: 2, size: 100 })).middle, [0, 0, 255])
  const beyond = await preview(id, { page: 3 })
  t.equal(beyond.status, 400, beyond.text)
  t.match(beyond.body.error.details, [{ field: 'body.page' }])
})

t.test('a page of a square kilometre is drawn no larger than is asked for', async () => {
  const id = await sent(coloured(['0 1 0'], '0 0 14400 14400'), {
    filename: 'huge.pdf',
    content_type: 'application/pdf',
  })
  t.match(await shown(id, { size: 300 }), { width: 300, height: 300 })
})

t.test('pictures are made smaller, never larger', async () => {
  const made = ['-v', 'error', '-f', 'lavfi', '-i', 'color=c=0x00ff00:s=640x320', '-frames:v', '1']
  for (const [format, type] of [
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['gif', 'image/gif'],
  ] as const) {
    execFileSync('ffmpeg', [...made, '-y', `${folder}/made.${format}`])
    const bytes = execFileSync('cat', [`${folder}/made.${format}`])
    const id = await sent(bytes, { filename: `made.${format}`, content_type: type })
    t.match(await shown(id, { size: 100 }), { width: 100, height: 50 })
    const whole = await shown(id, { size: 2_000 })
    t.match(whole, { width: 640, height: 320 })
    near(whole.middle, [0, 255, 0])
  }
})

/** The organisations of the jobs that are to discard the previews of an object. */
const discards = async (id: string) =>
  await db.anyFirst(sql.type(z.object({ org: z.string().nullable() }))`
    select payload ->> 'org' as org from jobs_core._private_jobs where key like ${`previews:${id}:%`}`)

t.test('a picture is drawn once for all who ask within the hour', async (t) => {
  const id = await sent(coloured(['0 0 1']), { filename: 'once.pdf', content_type: 'application/pdf' })
  await shown(id, { size: 90 })
  const [key = ''] = await store.list(`files/previews/${id}/`)
  await store.storage.put(key, Buffer.from('the same'), { contentType: 'image/jpeg' })
  const again = await preview(id, { size: 90 })
  t.equal(await (await fetch(again.body.preview_url)).text(), 'the same')
  t.match(await shown(id, { size: 80 }), { height: 80 }, 'another size is drawn')
  const minute = 60_000
  t.same(previewHours((10 * 60 + 50) * minute), [10, 9])
  t.same(previewHours((10 * 60 + 51) * minute), [10], 'one that goes in nine minutes is not given out')
})

t.test('what discards a picture waits before there is one, and for no organisation', async (t) => {
  const id = await sent(coloured(['1 0 0']), { filename: 'torn.pdf', content_type: 'application/pdf' })
  // biome-ignore lint/suspicious/noExplicitAny: what the task does not use is not made.
  const tools: any = {
    db,
    media: { preview: async () => true },
    scratch: { attempt: async () => ({ path: folder, [Symbol.asyncDispose]: async () => {} }) },
    storage: { head: async () => null, download: async () => {}, upload: () => Promise.reject(new Error('killed')) },
  }
  await t.rejects(previewTask.run({ objectId: id, page: 1, size: 60 }, tools), { message: 'killed' })
  t.same(await discards(id), [null])
})

t.test('what is damaged, or asks for a password, is told from a page that is not there', async (t) => {
  const torn = Buffer.from(`%PDF-1.4\n${'1 0 obj << >> endobj\n'.repeat(9)}`)
  const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(500, 7)])
  const pageless = Buffer.from(coloured(['1 0 0']).toString('latin1').replace('/Kids', '/Xids'), 'latin1')
  for (const [bytes, filename, content_type] of [
    [torn, 'torn.pdf', 'application/pdf'],
    [pageless, 'pageless.pdf', 'application/pdf'],
    [png, 'torn.png', 'image/png'],
  ] as const) {
    const reply = await preview(await sent(bytes, { filename, content_type }))
    t.match(reply, { status: 409, body: { error: { code: 'not_previewable' } } }, reply.text)
  }
  if (!(await isInstalled('qpdf'))) return
  const facts = { filename: 'closed.pdf', content_type: 'application/pdf' }
  const { object_id } = (await send(await encryptedPdf({ user: 'secret' }), facts)).body
  await settled(object_id)
  t.match(await releaseObject(db, object_id, { actor: 'ops', reason: 'it is ours' }), { changed: true })
  const reply = await preview(object_id)
  t.match(reply, { status: 409, body: { error: { code: 'not_previewable' } } }, reply.text)
})

t.test('what is no picture, or not clean, has no preview', async (t) => {
  const text = await sent(Buffer.from('a letter'), { filename: 'letter.txt', content_type: 'text/plain' })
  t.match(await preview(text), { status: 409, body: { error: { code: 'not_previewable' } } })
  const { body } = await ask('POST /v1/files/uploads', {
    body: { product_key: 'p', tenant_id: 't', filename: 'a.png', content_type: 'image/png', byte_size: 5 },
  })
  t.match(await preview(body.object_id), { status: 409, body: { error: { code: 'not_clean' } } })
})

t.test('a page that takes too much is drawn once, and of three such pages no other is drawn either', async (t) => {
  const id = await sent(coloured(['0 1 0']), { filename: 'dense.pdf', content_type: 'application/pdf' })
  let drawn = 0
  // biome-ignore lint/suspicious/noExplicitAny: what the task does not use is not made.
  const tools: any = {
    db,
    media: {
      preview: () => {
        drawn++
        throw new TransientEngineError('timeout', 'pdftoppm did not finish within 10 s.')
      },
    },
    scratch: { attempt: async () => ({ path: folder, [Symbol.asyncDispose]: async () => {} }) },
    storage: { head: async () => null, download: async () => {} },
  }
  const page = (page: number) => previewTask.run({ objectId: id, page, size: 60 }, tools)
  // The first time a busy host may be the cause.
  for (const nth of [1, 1, 1, 2, 2, 2, 3, 3, 4, 5]) t.same(await page(nth), { key: null, why: 'not_previewable' })
  t.equal(drawn, 6)
  t.match(await preview(id), { status: 409, body: { error: { code: 'not_previewable' } } })
})
