/** Entities of WebVTT (WebVTT 4.2.2). Any other `&` is literal. */
const entities = ['&amp;', '&lt;', '&gt;', '&lrm;', '&rlm;', '&nbsp;']

/** Tags that are kept. `v` contains the speaker and `lang` the language. */
const tags = new Set(['i', 'b', 'u', 'ruby', 'rt', 'v', 'lang'])

/**
 * Converts the text of a cue to WebVTT. Keeps WebVTT tags without their classes. Removes all other tags, including
 * those of SubRip (`<font …>`, `{\\an8}`). Escapes the remaining text.
 */
export function normaliseCaptionText(written: string): string {
  let text = ''
  for (let at = 0; at < written.length; ) {
    const special = nextSpecial(written, at)
    text += written.slice(at, special)
    if (special === written.length) break
    const [kept, next] = step(written, special)
    text += kept
    at = next
  }
  return text
}

function nextSpecial(written: string, from: number): number {
  for (let at = from; at < written.length; at++) if ('<>&{'.includes(written[at] as string)) return at
  return written.length
}

/** Maximum length of markup in characters. Text that looks like a tag then costs only a check of this length. */
const longestMarkup = 200

function step(written: string, at: number): [kept: string, next: number] {
  const character = written[at] as string
  if (character === '<') {
    const inner = innerOf(written, at, '>')
    const tag = inner === undefined ? undefined : tagOf(inner)
    return inner === undefined || tag === undefined ? ['&lt;', at + 1] : [tag, at + inner.length + 2]
  }
  if (character === '{' && written[at + 1] === '\\') {
    const inner = innerOf(written, at, '}')
    return inner === undefined ? ['{', at + 1] : ['', at + inner.length + 2]
  }
  if (character === '&') return [ampersand(written, at), at + 1]
  return [character === '>' ? '&gt;' : character, at + 1]
}

function innerOf(written: string, at: number, close: string): string | undefined {
  const near = written.slice(at + 1, at + longestMarkup)
  const end = near.indexOf(close)
  return end < 0 ? undefined : near.slice(0, end)
}

const ampersand = (written: string, at: number): string =>
  entities.some((entity) => written.startsWith(entity, at)) ? '&' : '&amp;'

function tagOf(inner: string): string | undefined {
  const closes = inner.startsWith('/')
  const body = closes ? inner.slice(1) : inner
  const cut = body.search(/[\s.]/)
  const name = (cut < 0 ? body : body.slice(0, cut)).toLowerCase()
  if (name === '' || !/^[a-z]+$/.test(name)) return undefined
  if (!tags.has(name)) return ''
  if (closes) return `</${name}>`
  const space = body.search(/\s/)
  const annotation = (name === 'v' || name === 'lang') && space >= 0 ? body.slice(space).trim() : ''
  return annotation === '' ? `<${name}>` : `<${name} ${annotation.replaceAll('&', '&amp;').replaceAll('<', '')}>`
}
