import mjml from 'mjml'

export interface MjmlResult {
  html: string
  faults: string[]
}

/** Maximum number of faults that a response names. */
const most = 10

const cut = (text: string) => text.slice(0, 200).replaceAll(/\p{Cc}+/gu, ' ')

/** Expressions of templates. MJML drops those between its elements, except in `mj-raw`. */
const expression = /\{%[^%]*%\}|\{\{[^{}]*\}\}/g

/** Converts MJML to HTML. Reads no files: `mj-include` is a fault. */
export async function work(source: string): Promise<MjmlResult> {
  if (/<mj-include[\s>/]/i.test(source)) return { html: '', faults: ['cannot have mj-include'] }
  try {
    const { html, errors } = await mjml(source, {
      ignoreIncludes: true,
      keepComments: false,
      minify: false,
      beautify: false,
      validationLevel: 'soft',
      // No font is loaded from other servers, because they would see who reads the email.
      fonts: {},
    })
    const faults = errors.map(({ message, line }) => `has an error in line ${line ?? 1}: ${cut(message)}`)
    return { html, faults: [...faults, ...findLost(source, html)].slice(0, most) }
  } catch (error) {
    const { message } = error as Error
    const text = error instanceof RangeError ? 'It is nested too deep.' : message
    return { html: '', faults: [`is not valid MJML: ${cut(text)}`] }
  }
}

/** Removes comments, in linear time. */
function withoutComments(source: string): string {
  const [first = '', ...rest] = source.split('<!--')
  return first + rest.map((piece) => piece.slice(piece.includes('-->') ? piece.indexOf('-->') + 3 : 0)).join('')
}

function* findLost(given: string, html: string): Generator<string> {
  const source = withoutComments(given)
  for (const [whole] of source.matchAll(expression))
    if (!html.includes(whole))
      yield `loses \`${cut(whole)}\`, because MJML ignores text between its elements. Put it into <mj-raw>.`
  const count = (text: string) => text.match(expression)?.length ?? 0
  if (count(html) < count(source))
    yield 'loses an expression, because MJML ignores text between its elements. Put expressions between elements into <mj-raw>.'
}
