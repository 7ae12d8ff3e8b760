import { z } from 'zod'
import { config, publicUrl } from '#lib/config.ts'
import { secret } from '#lib/secret-fields.ts'
import * as checks from '#sql/identity/checks.ts'
import * as prompts from '#sql/identity/prompts.ts'
import { findRequirement, type Requirement } from '#tasks/identity/rules/catalogue.ts'
import { promptMs, promptUrl } from '#tasks/identity/rules/prompt-link.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { assessChecks } from './assess.ts'
import { return_to } from './return-to.ts'
import { demandProduct, idp_sub, product, toApiSubject, toStoredSubject } from './subject.ts'

const keys = z.array(z.string())

const actions = {
  document: 'upload_document',
  address: 'upload_document',
  selfie: 'take_photo',
  consent: 'give_consent',
  face: 'match_face',
} as const satisfies Record<Requirement['type'], string>

export const read = route({
  method: 'GET',
  path: '/readiness',
  summary: 'Read the readiness of a subject',
  description:
    'Send the person to `next_step.prompt_url`. The URL is signed, works once and expires after 30 minutes. Each call returns a new URL.',
  scope: 'identity:read',
  limit: { perMinute: 120, by: 'org' },
  query: z.object({
    product,
    idp_sub,
    return_to,
  }),
  status: 200,
  reply: z.object({
    product: z.string(),
    subject: z.string().nullable().describe('`null` for the organisation itself'),
    ready: z.boolean(),
    satisfied: keys,
    currently_due: keys.describe('Requirements that the person can meet now'),
    eventually_due: keys.describe(
      'Requirements that depend on other requirements, expire within 30 days, or are optional',
    ),
    past_due: keys.describe('Requirements whose verification has expired'),
    pending_verification: keys.describe('Requirements that were submitted and have no decision yet'),
    errors: z.array(z.object({ requirement: z.string(), code: z.string(), reason: z.string() })),
    next_step: z
      .object({
        requirement: z.string(),
        title: z.string(),
        action: z.enum(Object.values(actions)),
        prompt_url: secret(z.url()),
        expires_at: Instant,
      })
      .nullable(),
  }),
  async handle({ query, org, db, origin, services }) {
    const wanted = demandProduct(query.product)
    const subject = toStoredSubject(query.idp_sub)
    const { next, ...assessed } = assessChecks(wanted, await checks.list(db, org.id, subject))
    const requirement = next === undefined ? undefined : findRequirement(next)
    const shown = { product: wanted.product, subject: toApiSubject(subject), ...assessed }
    if (!requirement) return { ...shown, next_step: null }
    const prompt = await prompts.insert(db, {
      org_id: org.id,
      subject,
      requirement: requirement.key,
      return_to: query.return_to ?? null,
      expires_at: new Date(Date.now() + promptMs),
    })
    const base = config.PUBLIC_URL === undefined ? origin : publicUrl()
    const { key, title, type } = requirement
    const prompt_url = promptUrl(base, prompt, services(signingSecret))
    return {
      ...shown,
      next_step: { requirement: key, title, action: actions[type], prompt_url, expires_at: prompt.expires_at },
    }
  },
})
