import { findAnchors } from './anchors.ts'
import { clickUrl, type LinkPlace, openUrl } from './tracking-links.ts'

export interface Tracking {
  place: LinkPlace
  opens: boolean
  clicks: boolean
}

/** Maximum number of tracked links, and of characters of their targets. All other links stay unchanged. */
const most = { links: 1_000, target: 2_048 }

const references: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
])

const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z][a-z0-9]{0,31}));/gi

/** Returns the value of an attribute. Null if it has character references that are not read here. */
function decode(value: string): string | null {
  let isKnown = true
  const text = value.replace(reference, (_, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) {
      const found = references.get(name.toLowerCase())
      if (found === undefined) isKnown = false
      return found ?? ''
    }
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    if (code === 0 || code > 0x10ffff) isKnown = false
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
  return isKnown ? text : null
}

/**
 * Returns the target of a link that can be tracked, as ASCII. Null for other schemes, anchors, placeholders, and links
 * of this installation, which unsubscribe or confirm.
 */
function targetOf(href: string, origin: string): string | null {
  const text = decode(href)
  if (text === null || text.includes('{{') || !/^\s*https?:/i.test(text)) return null
  const url = URL.parse(text)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  const target = url.href
  if (target.length > most.target || target.startsWith(`${origin}/send/v1/`)) return null
  return target
}

/** Replaces the links of an HTML part, and adds the image that reports opens. */
export function trackHtml(html: string, { place, opens, clicks }: Tracking, secret: string): string {
  const linked = clicks ? withLinks(html, place, secret) : html
  return opens ? withImage(linked, openUrl(place, secret)) : linked
}

function withLinks(html: string, place: LinkPlace, secret: string): string {
  const urls = new Map<string, string>()
  const pieces: string[] = []
  let at = 0
  let count = 0
  for (const { from, to, href, isExcluded } of findAnchors(html)) {
    const target = isExcluded ? null : targetOf(href, place.origin)
    if (target === null) continue
    if (++count > most.links) break
    const url = urls.get(target) ?? clickUrl(place, target, secret)
    urls.set(target, url)
    pieces.push(html.slice(at, from), url)
    at = to
  }
  return pieces.join('') + html.slice(at)
}

/** The image comes last, so that it never delays the email’s own images. */
function withImage(html: string, url: string): string {
  const image = `<img src="${url}" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
  const end = html.toLowerCase().lastIndexOf('</body')
  return end < 0 ? html + image : html.slice(0, end) + image + html.slice(end)
}
