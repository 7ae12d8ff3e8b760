import type { MachineReason } from '#sql/email/engagements.ts'

export interface Visit {
  method: string
  userAgent: string
  /** Values of the headers by which browsers announce a prefetch. */
  purposes: readonly (string | undefined)[]
}

/** Apple’s Mail Privacy Protection loads images with only this text. */
const appleProxy = 'mozilla/5.0'

/**
 * Parts of the user agents of image proxies, security scanners and HTTP libraries, in lower case. Browsers and email
 * clients have none of them.
 */
const parts = (
  'googleimageproxy ggpht.com yahoomailproxy yahoocachesystem outlookimageproxy bingpreview barracuda proofpoint mimecast ' +
  'symantec messagelabs trendmicro fireeye sophos forcepoint cloudmark fortinet zscaler safelinks office365 ' +
  'bot crawl spider slurp scanner headless phantomjs puppeteer preview facebookexternalhit whatsapp/ slackbot skypeuri ' +
  'curl/ wget python go-http-client java/ okhttp libwww perl ruby axios node-fetch undici postman insomnia httpie ' +
  'apache-httpclient winhttp guzzlehttp lwp:: monitoring uptime'
).split(' ')

/** Returns why a request comes from a machine. Null for a reader, as far as a request shows. */
export function findMachineReason({ method, userAgent, purposes }: Visit): MachineReason | null {
  if (method === 'HEAD') return 'head'
  if (purposes.some((purpose) => purpose !== undefined && /prefetch|preview|prerender/i.test(purpose)))
    return 'prefetch'
  const agent = userAgent.trim().toLowerCase()
  return agent === '' || agent === appleProxy || parts.some((part) => agent.includes(part)) ? 'client' : null
}
