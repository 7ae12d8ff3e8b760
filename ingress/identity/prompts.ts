import { z } from 'zod'
import { fileName } from '#lib/characters.ts'
import { config, publicUrl } from '#lib/config.ts'
import { badRequest, type Problem } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import * as plans from '#sql/account/plans.ts'
import * as publishers from '#sql/account/publishers.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as faceChecks from '#sql/identity/face-checks.ts'
import * as rows from '#sql/identity/prompts.ts'
import { enqueueRemoval } from '#tasks/files/remove.ts'
import { awaitVerdict } from '#tasks/files/rules/await-verdict.ts'
import { acceptUpload, recordUpload, signUpload } from '#tasks/files/rules/take-in.ts'
import { deleteTry } from '#tasks/identity/forget-tries.ts'
import { type Requirement, showsDocument } from '#tasks/identity/rules/catalogue.ts'
import { acceptDocument, recordConsent } from '#tasks/identity/rules/face-check.ts'
import { requestReading } from '#tasks/identity/rules/request-reading.ts'
import { submit } from '#tasks/identity/rules/submit.ts'
import type { Services } from '../http/container.ts'
import { mustFind } from '../http/must-find.ts'
import { type ProblemKind, problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { stopping, storage } from '../http/services.ts'
import { awaitReading } from './await-reading.ts'
import { loadPrompt } from './prompt-of.ts'
import { renderProblem, sendPrompt } from './prompt-page.ts'
import { readingMessage } from './reading-words.ts'

/** Maximum number of uploads per link, and maximum size of each upload in bytes. */
const [mostUploads, mostBytes] = [5, 10 * 1024 * 1024]

const pictures = ['image/jpeg', 'image/png', 'image/webp']

export const acceptedTypes: Readonly<Record<Requirement['type'], readonly string[]>> = {
  document: [...pictures, 'application/pdf'],
  address: [...pictures, 'application/pdf'],
  selfie: pictures,
  face: pictures,
  consent: [],
}

export const used = problem(409, 'prompt_used', 'The link was already used.')
export const verified = problem(409, 'already_verified', 'The requirement is already verified.')
export const wrongStep = problem(409, 'wrong_step', 'The request belongs to another step of the page.')
const refused = problem(409, 'document_refused', 'The file was rejected. Another file can be submitted.')
const exceeded = problem(400, 'plan_limit_exceeded', 'The file exceeds a limit of the organisation’s plan.')
const ofUploads: ProblemKind[] = (['not_uploaded', 'size_mismatch', 'content_encoded', 'conflict'] as const).map(
  (code) => problem(409, code, 'The uploaded file does not match the announced upload.'),
)

export const forPeople = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 120, by: 'ip' },
  status: 200,
} as const

export const show = route({
  ...forPeople,
  method: 'GET',
  path: '/identity/prompts/{token}',
  summary: 'Show the prompt page for a requirement',
  raw: 'text/html; charset=utf-8',
  renderProblem,
  problems: ['not_found'],
  async handle({ ctx, db, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    sendPrompt(ctx, {
      prompt,
      requirement,
      face: requirement.type === 'face' ? await faceChecks.find(db, prompt.id) : null,
      types: acceptedTypes[requirement.type],
      storage: services(storage).publicOrigin,
      publisher: await publishers.find(db, prompt.org_id),
    })
  },
})

export const consent = route({
  ...forPeople,
  method: 'POST',
  path: '/identity/prompts/{token}',
  summary: 'Give consent on a prompt page',
  raw: 'text/html; charset=utf-8',
  renderProblem,
  problems: ['not_found', used, verified],
  async handle({ ctx, db, origin, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    if (requirement.type === 'face') {
      await db.transaction((tx) => recordConsent(tx, prompt.id))
      ctx.redirect(`${config.PUBLIC_URL === undefined ? origin : publicUrl()}${ctx.path}`)
      ctx.status = 303
      return
    }
    if (requirement.type !== 'consent') throw used('This page accepts a file, not consent.')
    await db.transaction((tx) => submit(tx, prompt.id, { method: 'consent' }))
    const publisher = await publishers.find(db, prompt.org_id)
    sendPrompt(ctx, {
      prompt: { ...prompt, used_at: new Date() },
      requirement,
      types: [],
      storage: "'none'",
      publisher,
    })
  },
})

export const begin = route({
  ...forPeople,
  method: 'POST',
  path: '/identity/prompts/{token}/uploads',
  summary: 'Start the upload of a document',
  body: z.strictObject({
    filename: z.string().min(1).max(255).regex(fileName, 'must be a file name without folders or control characters'),
    content_type: z.string().max(100),
    byte_size: z.int().min(1).max(mostBytes),
  }),
  reply: z.object({ upload_url: secret(z.url()), upload_headers: z.record(z.string(), z.string()) }),
  problems: ['not_found', used, exceeded],
  async handle({ body, db, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    const types = acceptedTypes[requirement.type]
    if (!types.includes(body.content_type)) {
      throw badRequest([{ field: 'body.content_type', issue: `must be one of ${types.join(', ')}` }])
    }
    const plan = await plans.findForOrganisation(db, prompt.org_id)
    const object = await db.transaction(async (tx) => {
      const facts = { ...body, product_key: 'identity', tenant_id: 'identity' }
      const made = await recordUpload(tx, prompt.org_id, plan, facts)
      const before = await rows.lock(tx, prompt.id)
      if (await rows.beginUpload(tx, prompt.id, made.id, mostUploads)) {
        if (before?.object_id) await deleteTry(tx, prompt.org_id, before.object_id)
        return made
      }
      throw used('This link was already used, or it has reached its upload limit.')
    })
    return await signUpload(services(storage), object)
  },
})

/**
 * Reads the uploaded document before it is submitted, so that the person can take a better photo. The result has no
 * effect on the decision.
 */
export const read = route({
  ...forPeople,
  method: 'POST',
  path: '/identity/prompts/{token}/read',
  summary: 'Preview an uploaded document before submission',
  reply: z.object({
    outcome: z.enum(['read', 'try_again', 'not_read']),
    code: z.string().nullable(),
    message: z.string(),
  }),
  problems: ['not_found', used, refused, ...ofUploads],
  async handle({ db, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    if (!showsDocument(requirement.key)) throw used('This page does not accept documents.')
    const object = await passed(db, prompt, acceptedTypes[requirement.type], services)
    const reading = await db.transaction((tx) => requestReading(tx, { orgId: prompt.org_id, objectId: object.id }))
    return readingMessage(await awaitReading(db, reading, services(stopping)))
  },
})

export const complete = route({
  ...forPeople,
  method: 'POST',
  path: '/identity/prompts/{token}/complete',
  summary: 'Submit an uploaded document',
  reply: z.object({ status: z.enum(['submitted', 'selfie_needed']) }),
  problems: ['not_found', used, verified, refused, wrongStep, ...ofUploads],
  async handle({ db, params: { token }, services }) {
    const { prompt, requirement } = await loadPrompt(db, token, services)
    const object = await passed(db, prompt, acceptedTypes[requirement.type], services)
    if (requirement.type === 'face') {
      await db.transaction((tx) => acceptDocument(tx, prompt.id, object.id))
      return { status: 'selfie_needed' as const }
    }
    await db.transaction((tx) => submit(tx, prompt.id, { method: 'upload', objectId: object.id }))
    return { status: 'submitted' as const }
  },
})

async function passed(db: DatabasePool, prompt: rows.Prompt, types: readonly string[], services: Services) {
  if (prompt.used_at !== null) throw used('This link was already used.')
  const uploaded = await mustFind(
    prompt.object_id === null ? Promise.resolve(null) : objects.findAny(db, prompt.object_id),
    'upload',
  )
  await acceptUpload({ db, storage: services(storage) }, uploaded)
  const held = await mustFind(objects.findAny(db, uploaded.id), 'upload')
  const object = await awaitVerdict(db, held, services(stopping))
  const why = await refusalOf(db, object, types)
  if (why) throw why
  return object
}

/**
 * Returns the reason to reject a file. A file that is still being scanned can be submitted. It counts when the scan has
 * found it clean.
 */
async function refusalOf(
  db: DatabasePool,
  object: objects.FileObject,
  types: readonly string[],
): Promise<Problem | undefined> {
  const { scan_status, sniffed_type } = object
  if (scan_status === 'pending' || scan_status === 'scanning') return undefined
  if (scan_status !== 'clean') return refused('This file was rejected. Try another file, such as a photo.')
  if (sniffed_type !== null && types.includes(sniffed_type)) return undefined
  await db.transaction(async (tx) => {
    for (const deleted of await objects.markDeleted(tx, { orgId: object.org_id }, object.id))
      await enqueueRemoval(tx, deleted)
  })
  return refused(
    `This file must be ${types.map((type) => type.split('/')[1]?.toUpperCase()).join(', ')}. Try another file.`,
  )
}
