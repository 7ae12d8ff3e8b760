import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as hostChallenges from '#sql/email/host-challenges.ts'
import * as acme from '#sql/video/acme.ts'
import { route } from '../http/route.ts'

/**
 * Returns the file that certificate authorities request before they sign a certificate for a customer's domain or
 * for the host of email submission (RFC 8555 §8.3).
 */
export const answer = route({
  method: 'GET',
  path: '/.well-known/acme-challenge/{token}',
  summary: 'Respond to an ACME challenge',
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  viewers: true,
  limit: false,
  status: 200,
  raw: 'application/octet-stream',
  problems: ['not_found'],
  params: z.object({ token: z.string().max(300) }),
  async handle({ params: { token }, db, ctx }) {
    const found = (await acme.findAnswer(db, token)) ?? (await hostChallenges.findAnswer(db, token))
    if (found === null) throw notFound('challenge')
    ctx.body = found
    ctx.type = 'application/octet-stream'
  },
})
