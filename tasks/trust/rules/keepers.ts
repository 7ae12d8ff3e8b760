import { getSourceFault } from '../../sources/rules/source-error.ts'
import { confirmPrefixes } from '../confirm-hashes.ts'
import type { Confirm } from './sources.ts'

/**
 * Maximum time in milliseconds that a sweep uses for queries to feed providers, in total and for one organisation. A
 * query takes up to 4 s.
 */
const [mostMs, mostMsOfOrg] = [60_000, 10_000]

/**
 * Queries feed providers during one sweep. A provider is no longer queried if it failed or its time is used up.
 * Otherwise the last watches would never be checked, or one organisation would use the time of all. Responses are
 * stored, so that the next sweep queries the prefixes that this sweep did not reach.
 */
export function createProviderQueries(tools: KeeperTools): (orgId: string) => Confirm {
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

async function answerOf(tools: KeeperTools, url: string, prefixes: readonly number[]) {
  try {
    return await confirmPrefixes(tools, url, prefixes)
  } catch (error) {
    getSourceFault(error)
    return null
  }
}
