import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { getDomain } from 'tldts'

const require = createRequire(import.meta.url)

/**
 * Reads a list of the package freemail on first use. The package’s own lookup is not used, because it scans all 90,000
 * names.
 */
function listOf(path: string): (domain: string) => boolean {
  let names: ReadonlySet<string> | undefined
  return (domain) => {
    names ??= new Set(readFileSync(path, 'utf8').split('\n').filter(Boolean))
    return names.has(domain) || names.has(getDomain(domain, { allowPrivateDomains: true }) ?? '')
  }
}

const free = listOf(require.resolve('freemail/data/free.txt'))
const more = new Set(['proton.me', 'pm.me', 'duck.com', 'hey.com', 'tutamail.com', 'mailbox.org', 'posteo.de'])

export const isFreeProvider = (domain: string): boolean => free(domain) || more.has(domain)

export const isDisposable = listOf(require.resolve('freemail/data/disposable.txt'))

const roles = new Set(
  (
    'abuse accounting accounts admin administrator all billing career careers compliance contact customerservice devnull dns ' +
    'enquiries everyone feedback finance ftp help helpdesk hello hostmaster hr info inquiries invoices it jobs legal list ' +
    'mailer-daemon marketing media news newsletter no-reply noc noreply office orders postmaster press privacy purchasing ' +
    'recruiting registrar root sales security service spam staff subscribe support sysadmin team tech undisclosed-recipients ' +
    'unsubscribe usenet uucp webmaster www'
  ).split(' '),
)

/** True if a local part in lower case is the name of a role (RFC 2142 and common names). A tag (`+…`) is ignored. */
export const isRole = (local: string): boolean => roles.has(local.split('+')[0] as string)

const known = (
  'gmail.com googlemail.com yahoo.com yahoo.co.uk yahoo.fr yahoo.de ymail.com hotmail.com hotmail.co.uk hotmail.fr outlook.com ' +
  'live.com msn.com icloud.com me.com aol.com protonmail.com proton.me gmx.com gmx.de gmx.net web.de t-online.de ' +
  'freenet.de orange.fr wanadoo.fr free.fr laposte.net libero.it virgilio.it mail.ru yandex.ru yandex.com qq.com 163.com ' +
  'comcast.net verizon.net sbcglobal.net bellsouth.net cox.net btinternet.com fastmail.com zoho.com'
).split(' ')

/**
 * Returns the well-known provider that differs from a domain by up to `slips` typing errors. Returns undefined if there
 * is none.
 */
export function findLikelyProvider(domain: string, slips = 1): string | undefined {
  if (known.includes(domain) || isFreeProvider(domain)) return undefined
  return known.find((name) => Math.abs(name.length - domain.length) <= slips && distance(name, domain) <= slips)
}

/**
 * Returns the optimal string alignment distance, which counts insertions, deletions, substitutions and transpositions.
 */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change, swapped))
    }
  }
  return at(a.length, b.length)
}
