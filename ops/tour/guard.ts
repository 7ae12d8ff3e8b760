import { getToken } from '../../ingress/guard/widget/node.js'
import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

export interface GuardApi extends Api {
  siteKey: string
}

interface Verdict {
  valid: boolean
  reason?: string
  tier?: string
}

export function guardSteps(api: GuardApi, signal: AbortSignal): Step[] {
  return [{ name: 'guard', run: () => spendOne(api, signal) }]
}

async function spendOne(api: GuardApi, signal: AbortSignal): Promise<string> {
  const action = 'tour'
  const { token, tier, alg, solveMs } = await getToken({ api: api.base, sitekey: api.siteKey, action, signal })
  const verify = () => ask<Verdict>(api, 'POST', '/v1/guard/tokens/verify', { token, action })
  const first = await verify()
  if (!first.valid) throw new Error(`The token was rejected: ${first.reason}.`)
  const second = await verify()
  if (second.reason !== 'replayed') throw new Error(`The used token returned ${JSON.stringify(second)}.`)
  return `a challenge of tier ${tier} (${alg}) was solved in ${solveMs} ms; its token is good once, then refused as replayed`
}
