import { z } from 'zod'
import { config, publicUrl } from '#lib/config.ts'
import { secret } from '#lib/secret-fields.ts'
import * as faceChecks from '#sql/identity/face-checks.ts'
import * as prompts from '#sql/identity/prompts.ts'
import { findRequirement } from '#tasks/identity/rules/catalogue.ts'
import { promptMs, promptUrl } from '#tasks/identity/rules/prompt-link.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { FaceCheck, present } from './face-check-view.ts'
import { return_to } from './return-to.ts'
import { idp_sub, toStoredSubject } from './subject.ts'

const requirement = z
  .string()
  .max(100)
  .refine((key) => findRequirement(key)?.type === 'face', 'must be a requirement in the catalogue with the type `face`')
  .default('identity.face')
  .describe('Key of a requirement of type `face`')

export const create = route({
  method: 'POST',
  path: '/face-checks',
  summary: 'Create a face check',
  description:
    'The person agrees, photographs the document and takes a selfie on the page behind `prompt_url`. Millrace compares both faces. A challenge asks for random turns of the head: it stops a printed photo and a still image. It does not stop a video replay, a deepfake or a mask. Let a person decide.',
  scope: 'identity:verify',
  beyondContract: true,
  limit: { perMinute: 120, by: 'org' },
  body: z.strictObject({
    idp_sub,
    requirement,
    return_to,
    challenge: z
      .boolean()
      .default(true)
      .describe('Whether the person must turn the head. `false`: one photo, without any check for presence.'),
    threshold: z
      .number()
      .min(0.3)
      .max(0.7)
      .default(0.5)
      .describe('Maximum distance for a match, 0.3 to 0.7. Up to 0.1 above it, the result is `inconclusive`.'),
  }),
  status: 201,
  reply: FaceCheck.extend({ prompt_url: secret(z.url()).describe('URL for the person. It expires after 30 minutes.') }),
  example: { body: { idp_sub: 'auth0|5f7c8ec7', return_to: 'https://shop.example/account' } },
  async handle({ body, org, db, origin, services }) {
    const [subject, expires_at] = [toStoredSubject(body.idp_sub), new Date(Date.now() + promptMs)]
    const about = { org_id: org.id, subject, requirement: body.requirement, expires_at }
    const { prompt, check } = await db.transaction(async (tx) => {
      const prompt = await prompts.insert(tx, { ...about, return_to: body.return_to ?? null })
      const options = { challenge_required: body.challenge, threshold: body.threshold }
      return { prompt, check: await faceChecks.start(tx, { id: prompt.id, ...about, ...options }) }
    })
    const base = config.PUBLIC_URL === undefined ? origin : publicUrl()
    return { ...present(check), prompt_url: promptUrl(base, prompt, services(signingSecret)) }
  },
})

export const list = listRoute({
  path: '/face-checks',
  summary: 'List face checks',
  description: 'Returns face checks of the last 90 days, newest first.',
  scope: 'identity:verify',
  beyondContract: true,
  query: {
    idp_sub: idp_sub.describe('Only checks of this subject'),
    decision: faceChecks.FaceDecision.optional().describe('Only checks with this decision'),
  },
  filters: faceChecks.filters,
  item: FaceCheck,
  rows: ({ db, org }, page) => faceChecks.list(db, org.id, page),
  present: (row) => present(row),
})

export const read = route({
  method: 'GET',
  path: '/face-checks/{id}',
  summary: 'Get a face check',
  description: 'Returns the result of a comparison and of the turns of the head. Checks are kept for 90 days.',
  scope: 'identity:verify',
  beyondContract: true,
  params: z.object({ id: pathId('face check') }),
  status: 200,
  reply: FaceCheck,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    const found = await faceChecks.find(db, id)
    return present(await mustFind(Promise.resolve(found?.org_id === org.id ? found : null), 'face check'))
  },
})
