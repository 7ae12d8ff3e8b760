import sip, { type Request, type Response, type Uri } from 'sip'
import digest from 'sip/digest.js'
import { type Transport, usualPort } from './peer.ts'

/** A trunk as it is configured. */
export interface Trunk {
  name: string
  /** `sip:host:port`, with what it speaks unless that is UDP. */
  uri: string
  host: string
  port: number
  transport: Transport
  user: string | undefined
  password: string | undefined
  /** In `From`. */
  domain: string
  /** It takes numbers that begin so. */
  prefix: string
}

/** Reads `name=sip:user@host:port;prefix=+372;domain=host;transport=tls` and the passwords by the trunks' names. */
export function readTrunks(trunks: readonly string[], passwords: readonly string[]): Trunk[] {
  const secrets = new Map(passwords.map(pairOf))
  return trunks.map((text) => {
    const [name, rest] = pairOf(text)
    const [place = '', ...params] = rest.replace(/^sip:/, '').split(';')
    const { prefix = '', domain, transport: named = 'udp' } = Object.fromEntries(params.map(pairOf))
    const transport = named === 'tls' ? 'TLS' : named === 'tcp' ? 'TCP' : 'UDP'
    const [address = '', user] = place.split('@').reverse()
    const [host = '', given = usualPort(transport)] = address.split(':')
    const port = Number(given)
    const by = transport === 'UDP' ? '' : `;transport=${named}`
    const uri = `sip:${host}:${port}${by}`
    const password = secrets.get(name)
    return { name, uri, host, port, transport, user, password, domain: domain ?? host, prefix }
  })
}

const pairOf = (text: string): [string, string] => {
  const at = text.indexOf('=')
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Signs a request by the challenge of a 401 or 407 (RFC 3261 22); false when there is no password, or no challenge that we know. */
export function sign(request: Request, refused: Response, { user, password }: Trunk): boolean {
  const field = refused.status === 407 ? 'proxy-authenticate' : 'www-authenticate'
  // The package knows MD5 alone, and takes the first challenge that there is.
  const known = refused.headers[field]?.find(
    ({ scheme = '', algorithm = 'md5' }) => /^digest$/i.test(scheme) && /^"?md5(-sess)?"?$/i.test(algorithm),
  )
  if (!user || password === undefined || !known) return false
  const challenge = { ...refused, headers: { ...refused.headers, [field]: [known] } }
  digest.signRequest({}, request, challenge, { user, password })
  return true
}

/** A URI as text, if it is a SIP one that can be asked. */
export function uriOf(uri: string | Uri | undefined): string | undefined {
  const text = uri === undefined ? undefined : sip.stringifyUri(uri)
  return text && /^sip:[\x21-\x7e]+$/i.test(text) && sip.parseUri(text) ? text : undefined
}
