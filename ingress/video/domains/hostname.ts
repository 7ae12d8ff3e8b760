import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { getPublicSuffix } from 'tldts'
import { z } from 'zod'

/** Last labels of names that are never in the public DNS (RFC 6761, RFC 6762, RFC 7686). */
const nowhere = new Set(['localhost', 'local', 'invalid', 'onion', 'arpa'])

const label = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/

/**
 * Maximum length of a host name in characters. It leaves room for the label of the verification record (RFC 1035 §2.3.4
 * allows 253 characters).
 */
const longest = 230

/**
 * Schema of a host name as in DNS and certificates: in lower case, with international characters as punycode, and
 * without a final dot.
 */
export const Hostname = z
  .string()
  .max(1000)
  .transform((text, context) => {
    const issue = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    const given = text.trim().replace(/\.$/, '')
    if (given.startsWith('*.')) return issue('must be one host name, not a wildcard')
    const name = /[\s/@?#:%\\[\]]/.test(given) ? '' : domainToASCII(given)
    if (isIP(name) !== 0) return issue('must be a host name, not an IP address')
    const labels = name.split('.')
    if (name.length > longest || !labels.every((part) => label.test(part))) return issue('must be a host name')
    if (labels.length < 2) return issue('must contain a dot, such as video.example.com')
    const last = labels.at(-1) as string
    if (nowhere.has(last) || /^\d+$/.test(last)) return issue('must be a name in the public DNS')
    // Rejects names in the Public Suffix List, including its private entries. No one owns such a name.
    if (getPublicSuffix(name, { allowPrivateDomains: true }) === name)
      return issue('must be a host in your own domain, not a public suffix')
    return name
  })
