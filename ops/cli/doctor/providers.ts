import { config } from '#lib/config.ts'
import { type Check, type Finding, well } from './finding.ts'

/**
 * Checks external providers. If a provider is missing, its area returns 503 `not_configured`, which is not a fault of
 * this host.
 */
export const providerChecks = (): Check[] => [
  { name: 'providers', todo: 'see the guides of the areas', look: async () => [voice(), whatsapp(), language()] },
]

const about = (area: string, set: boolean, what: string, setting: string): Finding =>
  well(area, set ? `${what} is configured` : `no ${what}: its calls return 503 not_configured until ${setting} is set`)

const voice = (): Finding => about('voice', config.SIP_TRUNKS.length > 0, 'SIP trunk', 'SIP_TRUNKS')

const whatsapp = (): Finding =>
  about('whatsapp', config.WHATSAPP_PHONE_NUMBER_ID !== undefined, 'business number', 'WHATSAPP_PHONE_NUMBER_ID')

function language(): Finding {
  const { AI_ENGINE, AI_BASE_URL, AI_MODEL } = config
  if (AI_ENGINE !== 'upstream') return well('ai', `AI_ENGINE is ${AI_ENGINE}, which needs no external model`)
  return about('ai', AI_BASE_URL !== undefined && AI_MODEL !== undefined, 'upstream model', 'AI_BASE_URL and AI_MODEL')
}
