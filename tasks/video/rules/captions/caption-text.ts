/** Entities that WebVTT knows (WebVTT 4.2.2); any other `&` is itself. */
const entities = ['&amp;', '&lt;', '&gt;', '&lrm;', '&rlm;', '&nbsp;']

/** Tags that are kept; `v` and `lang` say who speaks, and in which language. */
const tags = new Set(['i', 'b', 'u', 'ruby', 'rt', 'v', 'lang'])

/**
 * The text of a cue as WebVTT takes it: tags that it knows, without classes; those of SubRip (`<font …>`, `{\\an8}`) and all others are left
 * out, and what is no markup is escaped.
 */
export function captionText(written: string): string {
  let text = ''
  for (let at = 0; at < written.length; ) {
    const character = written[at] as string
    if (character === '<') {
      const end = written.indexOf('>', at)
      const tag = end < 0 ? undefined : tagOf(written.slice(at + 1, end))
      if (tag === undefined) text += '&lt;'
      else text += tag
      at = tag === undefined ? at + 1 : end + 1
    } else if (character === '{' && written[at + 1] === '\\') {
      const end = written.indexOf('}', at)
      at = end < 0 ? written.length : end + 1
    } else {
      text += character === '>' ? '&gt;' : character === '&' ? ampersand(written, at) : character
      at++
    }
  }
  return text
}

const ampersand = (written: string, at: number): string =>
  entities.some((entity) => written.startsWith(entity, at)) ? '&' : '&amp;'

/** A tag as it is kept, nothing for one that is left out; undefined for what is none. */
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
