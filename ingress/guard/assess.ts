import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import * as assessments from '#sql/guard/assessments.ts'
import { Tier } from '#sql/guard/sites.ts'
import { route } from '../http/route.ts'
import { Action } from './fields.ts'
import { assessAttempt, getAddressSubject } from './judge.ts'
import { getSite } from './known-sites.ts'

/** Time to live of an assessment in seconds. */
const holdsSeconds = 300

export const create = route({
  method: 'POST',
  path: '/assess',
  repeatable: true,
  summary: 'Assess an attempt',
  description:
    'Returns a decision with its reasons. The weights of the reasons add up to the score. `allow` (below 15): no reason against the attempt. A challenge has the lowest tier. `challenge`: a challenge has the returned tier. `deny` (90 or more): no challenge is issued for this assessment. Signals are reported by the web page and can only increase the score. Without signals, the score is slightly higher. A challenge that names this assessment is assessed with the signals of this assessment and with the current traffic.',
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
      tier: Tier.nullable().describe('`null` if the attempt is denied'),
      score: z.int().min(0).max(100),
      reasons: z.array(assessments.Reason).describe('Reasons, highest weight first'),
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
    const site = await getSite(call)
    const verdict = await assessAttempt(db, services, { site, ip }, signals)
    const row = {
      id: newId(),
      org_id: org.id,
      site_id: site.id,
      action,
      subject: getAddressSubject(site.id, ip),
      signals,
    }
    const over = await assessments.insert(db, { ...row, ...verdict }, holdsSeconds)
    return { assessment_id: row.id, ...verdict, expires_at: over.toISOString() }
  },
})
