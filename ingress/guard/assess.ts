import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as assessments from '#sql/guard/assessments.ts'
import { Tier } from '#sql/guard/sites.ts'
import { route } from '../http/route.ts'
import { Action } from './fields.ts'
import { ownSubject, weighed } from './judge.ts'
import { siteOf } from './known-sites.ts'

/** Seconds for which a judgement holds. */
const holdsSeconds = 300

/** `POST /v1/guard/assess`: judges an attempt before it is made. */
export const create = route({
  method: 'POST',
  path: '/assess',
  repeatable: true,
  summary: 'Judge an attempt',
  description:
    'Says what is to become of an attempt and why: each reason has the weight that it adds to the score. `allow` (below 15): ' +
    'nothing speaks against it, a challenge would be of the lowest tier; `challenge`: of that tier; `deny` (from 90 on): none is ' +
    'to be had with this assessment. Signals are claims of the page, which count only against it; without any, the attempt weighs ' +
    'a little more. The challenge that names the assessment is judged by its signals and by the traffic of that moment.',
  scope: 'guard:challenge',
  locks: ['site_id'],
  site: true,
  limit: { perMinute: 120, by: 'ip' },
  body: z.strictObject({
    action: Action,
    signals: z.strictObject(assessments.Signals.shape).optional(),
  }),
  status: 200,
  reply: z
    .object({
      assessment_id: Id,
      decision: assessments.Decision,
      tier: Tier.nullable().describe('Null when it is denied'),
      score: z.int().min(0).max(100),
      reasons: z.array(assessments.Reason).describe('The heaviest first'),
      expires_at: z.iso.datetime(),
    })
    .meta({ id: 'guard.Assessment' }),
  problems: ['forbidden'],
  example: {
    body: { action: 'sign-up', signals: { webdriver: false, languages: 2, interactions: 14, ms_on_page: 8200 } },
  },
  async handle(call) {
    const { db, org, ip, services } = call
    const { action, signals = {} } = call.body
    const site = await siteOf(call)
    const verdict = await weighed(db, services, { site, ip }, signals)
    const row = { id: newId(), org_id: org.id, site_id: site.id, action, subject: ownSubject(site.id, ip), signals }
    const over = await assessments.insert(db, { ...row, ...verdict }, holdsSeconds)
    return { assessment_id: row.id, ...verdict, expires_at: over.toISOString() }
  },
})
