import { z } from 'zod'
import type { Viewing } from '#sql/video/views.ts'
import type { Services } from '../../http/container.ts'
import { isBot } from '../../playback/bots.ts'
import { countryLookup } from '../../playback/services.ts'
import type { Sender } from './audience.ts'
import { readDevice } from './devices.ts'

const pageLength = 300
const agentLength = 300

/** URL of a web page. The output is its origin and path. */
export const Page = z
  .string()
  .max(2_000)
  .refine(isWebPage, { message: 'must be an http or https URL' })
  .transform((text) => {
    const { origin, pathname } = new URL(text)
    return `${origin}${pathname}`.slice(0, pageLength)
  })

function isWebPage(text: string): boolean {
  const { protocol } = URL.parse(text) ?? {}
  return protocol === 'https:' || protocol === 'http:'
}

interface BeaconCall {
  body: { page?: string | undefined }
  ip: string
  origin: string
  services: Services
  header(name: string): string | undefined
}

/** Returns the properties of the viewer that the request shows. If location data is unavailable, the country is `null`. */
export async function viewingOf({ body, ip, origin, services, header }: BeaconCall): Promise<Viewing> {
  const agent = header('user-agent')?.slice(0, agentLength) ?? ''
  return {
    country: await services(countryLookup)(ip).catch(() => null),
    ...readDevice(agent, header('sec-ch-ua-mobile')),
    page: pageOf(body.page, header('origin'), origin),
  }
}

/**
 * Returns the page. A browser sends the origin of the page itself, so a page of another origin is replaced by it. The
 * player page in an iframe has Millrace's own origin, and reports the page that contains it.
 */
function pageOf(page: string | undefined, sender: string | undefined, own: string): string | null {
  if (page === undefined) return null
  if (sender === undefined || sender === 'null' || sender === own || new URL(page).origin === sender) return page
  return isWebPage(sender) ? `${new URL(sender).origin}/`.slice(0, pageLength) : page
}

/** Returns the sender of a beacon, or `undefined` if it is a bot. */
export function humanOf(call: Pick<BeaconCall, 'ip' | 'header'> | undefined): Sender | undefined {
  const agent = call?.header('user-agent')?.slice(0, agentLength)
  return call && agent && !isBot(agent) ? { ip: call.ip, agent } : undefined
}
