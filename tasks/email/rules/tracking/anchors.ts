/** Place of the value of an `href`, without its quotes, and the value with its character references. */
export interface Anchor {
  from: number
  to: number
  href: string
  /** True if the link has the attribute `data-no-track`. */
  isExcluded: boolean
}

const tagStart = /<(?:!--|(\/?)([a-z][^\s/>]{0,60}))/gi
const attribute = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/y

/** Elements whose content is text, not tags. */
const raw = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes', 'template'])

/** Returns the links of `<a>` elements in one pass. Links in comments, styles and scripts are not links. */
export function* findAnchors(html: string): Generator<Anchor> {
  for (let at = 0; at >= 0; ) {
    tagStart.lastIndex = at
    const found = tagStart.exec(html)
    if (!found) return
    const [text, end, named] = found
    const after = found.index + text.length
    if (named === undefined) {
      at = endOf(html, '-->', after)
      continue
    }
    const name = named.toLowerCase()
    const tag = readAttributes(html, after)
    if (!end && name === 'a' && tag.anchor) yield { ...tag.anchor, isExcluded: tag.isExcluded }
    at = !end && raw.has(name) ? endOfRaw(html, name, tag.end) : tag.end
  }
}

/** Returns the place after a text, or -1 if the text does not occur. */
function endOf(html: string, text: string, from: number): number {
  const at = html.indexOf(text, from)
  return at < 0 ? -1 : at + text.length
}

function readAttributes(html: string, from: number) {
  let anchor: Omit<Anchor, 'isExcluded'> | undefined
  let isExcluded = false
  let end = from
  for (;;) {
    attribute.lastIndex = end
    const found = attribute.exec(html)
    if (!found) return { anchor, isExcluded, end }
    const [text, name = '', double, single, bare] = found
    end += text.length
    const lower = name.toLowerCase()
    if (lower === 'data-no-track') isExcluded = true
    const href = double ?? single ?? bare
    // A repeated attribute is ignored (HTML, 13.2.5.33).
    if (lower !== 'href' || href === undefined || anchor) continue
    const to = end - (bare === undefined ? 1 : 0)
    anchor = { from: to - href.length, to, href }
  }
}

/** Returns the place of the end tag, or -1 if the element does not end. */
function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? -1
}
