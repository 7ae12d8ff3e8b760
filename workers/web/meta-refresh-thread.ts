import { parseHTML } from 'linkedom'

/** Returns the URL in `<meta http-equiv="refresh">` in the head of a web page (HTML, "Refresh state"), or undefined. */
export function work(html: string): string | undefined {
  const { document } = parseHTML(html)
  for (const meta of document.querySelectorAll('meta')) {
    const given = new Map([...meta.attributes].map(({ name, value }) => [name.toLowerCase(), value]))
    if (given.get('http-equiv')?.toLowerCase() !== 'refresh') continue
    const [, url] = /^[\s\d.]*[;,\s]\s*(?:url\s*=\s*)?(.+)$/is.exec(given.get('content') ?? '') ?? []
    const target = url?.trim().replace(/^(['"])(.*)\1$/s, '$2')
    if (target) return target
  }
  return
}
