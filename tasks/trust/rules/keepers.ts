import { OutboundError } from '#lib/address-guard.ts'
import { confirmPrefixes } from '../confirm-hashes.ts'
import { FeedError } from './feed-error.ts'
import type { Confirm } from './sources.ts'

/** Milliseconds that a keeper may take of a sweep, and of that for what one organisation watches: a question takes up to 4 s. */
const [mostMs, mostMsOfOrg] = [60_000, 10_000]

/**
 * Asks keepers during one sweep for what each organisation watches. One that fails is not asked again, nor is one whose time is
 * over: else the last watches never had their turn, or one organisation's took the time for all. What a keeper has answered is
 * kept, so that the next sweep asks it for what this one did not come to.
 */
export function createKeepers(tools: KeeperTools): (orgId: string) => Confirm {
  const spent = new Map<string, number>()
  const spentOn = (key: string) => spent.get(key) ?? 0
  return (orgId) => async (url, prefixes) => {
    const ofOrg = `${orgId} ${url}`
    if (spentOn(url) >= mostMs || spentOn(ofOrg) >= mostMsOfOrg) return null
    const begun = performance.now()
    const answer = await answerOf(tools, url, prefixes)
    const took = performance.now() - begun
    spent.set(url, answer ? spentOn(url) + took : mostMs).set(ofOrg, spentOn(ofOrg) + took)
    return answer
  }
}

type KeeperTools = Parameters<typeof confirmPrefixes>[0]

/** What a keeper answers; null when it does not. */
async function answerOf(tools: KeeperTools, url: string, prefixes: readonly number[]) {
  try {
    return await confirmPrefixes(tools, url, prefixes)
  } catch (error) {
    if (!(error instanceof FeedError || error instanceof OutboundError)) throw error
    return null
  }
}
