/** The thread in which it is found out where pages lead on. */
import { parseHTML } from 'linkedom'

/** Where the head of a page leads on by `<meta http-equiv="refresh">` (HTML, "Refresh state"); undefined when it does not. */
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
