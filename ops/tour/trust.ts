import { type Api, ask } from '../video-client.ts'
import type { Step } from './video.ts'

interface UrlCheck {
  verdict: string
  sources: { name: string; listed: boolean | null; age_seconds: number | null }[]
}

/** Recognises a disguised URL that a feed lists. A URL that no feed lists is unknown, never safe. */
export function trustSteps(api: Api): Step[] {
  return [{ name: 'trust', run: () => checkTwo(api) }]
}

async function checkTwo(api: Api): Promise<string> {
  const check = (url: string) => ask<UrlCheck>(api, 'POST', '/v1/trust/check-url', { url })
  const bad = await check('http://user@CDN.Malware%2eexample:8080/a/../setup.exe')
  const source = bad.sources.find(({ listed }) => listed)
  if (bad.verdict !== 'malicious' || !source) throw new Error(`The listed URL is ${bad.verdict}.`)
  const other = await check('https://harmless.example/')
  if (other.verdict !== 'unknown') throw new Error(`The unlisted URL is ${other.verdict}.`)
  return `a URL that feed ${source.name} lists is malicious even if disguised; an unlisted one is unknown`
}
