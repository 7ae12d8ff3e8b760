import { config } from '#lib/config.ts'
import type { LastFacts } from './dev-facts.ts'
import * as parts from './parts.ts'
import { preferUdpPorts } from './ports.ts'
import type { Part } from './supervise.ts'

const sharedNumber = '+3726000001'

export interface StartedVoice {
  env: Record<string, string>
  ports: Record<string, number>
}

export async function startVoice({
  last,
  start,
}: {
  last: LastFacts
  start: (...group: Part[]) => Promise<void>
}): Promise<StartedVoice> {
  if (config.SIP_TRUNKS.length > 0 || !config.SIP_SANDBOX) return { env: {}, ports: {} }
  const sip = await preferUdpPorts('127.0.0.1', last.ports?.sip ?? 0, 1)
  const telephones = await preferUdpPorts('127.0.0.1', last.ports?.telephones ?? 0, 1)
  await start(parts.telephones(telephones))
  return {
    env: {
      SIP_TRUNKS: `sandbox=sip:127.0.0.1:${telephones}`,
      SIP_HOST: '127.0.0.1',
      SIP_PORT: String(sip),
      SIP_SHARED_NUMBER: sharedNumber,
    },
    ports: { sip, telephones },
  }
}
