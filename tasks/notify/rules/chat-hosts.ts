import { findOutboundFault, withLoopback } from '#lib/http.ts'
import type { ChatChannel } from '#sql/notify/connections.ts'
import { findUrlFault } from '../../webhooks/rules/endpoint-url.ts'

interface Service {
  /** True if the host belongs to the service. */
  isHost(host: string): boolean
  path: RegExp
  example: string
}

const endsIn = (host: string, ...ends: readonly string[]) => ends.some((end) => host.endsWith(end))

const services: Readonly<Record<Exclude<ChatChannel, 'url'>, Service>> = {
  slack: {
    isHost: (host) => host === 'hooks.slack.com' || host === 'hooks.slack-gov.com',
    path: /^\/(services|triggers|workflows)\/./,
    example: 'https://hooks.slack.com/services/…',
  },
  teams: {
    isHost: (host) => endsIn(host, '.webhook.office.com', '.logic.azure.com', '.api.powerplatform.com'),
    path: /^\/./,
    example: 'https://….logic.azure.com/workflows/…',
  },
  discord: {
    isHost: (host) => /^(canary\.|ptb\.)?(discord|discordapp)\.com$/.test(host),
    path: /^\/api\/(v\d+\/)?webhooks\/\d+\/./,
    example: 'https://discord.com/api/webhooks/…',
  },
}

/**
 * Returns the issue of a connection's URL, without a DNS lookup. URLs of chat services must be on their hosts. An
 * organisation on this machine can use a local server instead.
 */
export function findConnectionFault(
  kind: ChatChannel,
  text: string,
  { local }: { local: boolean },
): string | undefined {
  const url = URL.parse(text)
  if (!url) return 'must be a URL that starts with https://'
  if (kind === 'url') return findUrlFault(text, { local })
  const { isHost, path, example } = services[kind]
  if (local && findOutboundFault(url) !== undefined && findOutboundFault(url, withLoopback) === undefined)
    return undefined
  if (url.protocol !== 'https:' || url.port !== '' || url.username || url.password || url.hash)
    return `must be a URL such as ${example}`
  if (!isHost(url.hostname) || !path.test(url.pathname)) return `must be a URL such as ${example}`
  return undefined
}
