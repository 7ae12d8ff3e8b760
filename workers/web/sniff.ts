export interface SniffedContent {
  type: string
  /** Decoded text. Undefined for binary data. */
  text: string | undefined
}

const signatures: readonly [string, string][] = [
  ['application/pdf', '%PDF-'],
  ['image/png', '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', '\xff\xd8\xff'],
  ['image/gif', 'GIF8'],
  ['application/zip', 'PK\x03\x04'],
  ['application/gzip', '\x1f\x8b\x08'],
]

/**
 * Bytes that do not occur in text (MIME Sniffing standard §3, binary data byte), and the number of bytes that are
 * checked.
 */
const isBinary = (byte: number) => byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte)
const headLength = 1_445

const html = /^<(?:!doctype html|(?:html|head|body|title|script|style|table|div|h1|p|a|br)[\s/>])/i
const markOfOrder: readonly [string, string][] = [
  ['utf-8', '\xef\xbb\xbf'],
  ['utf-16be', '\xfe\xff'],
  ['utf-16le', '\xff\xfe'],
]

/**
 * Detects the type of bytes by their content. The type from the server is used only to distinguish kinds of text (MIME
 * Sniffing standard §7).
 */
export function sniff(bytes: Uint8Array, declared: string): SniffedContent {
  const head = Buffer.from(bytes.subarray(0, headLength)).toString('latin1')
  const signature = signatures.find(([, start]) => head.startsWith(start))
  if (signature) return { type: signature[0], text: undefined }
  if (head.startsWith('RIFF') && head.startsWith('WEBP', 8)) return { type: 'image/webp', text: undefined }
  const mark = markOfOrder.find(([, start]) => head.startsWith(start))
  if (!mark && bytes.subarray(0, headLength).some(isBinary))
    return { type: 'application/octet-stream', text: undefined }
  const text = decoder(mark?.[0] ?? charsetOf(declared, head)).decode(bytes)
  return { type: textType(text.slice(0, headLength), declared), text }
}

function textType(head: string, declared: string): string {
  const said = declared.split(';')[0]?.trim().toLowerCase() ?? ''
  if (html.test(contentOf(head)) || said === 'text/html' || said === 'application/xhtml+xml') return 'text/html'
  return /^(text\/[\w.+-]+|application\/([\w.-]+\+)?(json|xml))$/.test(said) ? said : 'text/plain'
}

/** Returns the text after the XML declaration and leading comments. */
function contentOf(head: string): string {
  let rest = head.trimStart()
  if (/^<\?xml/i.test(rest)) rest = rest.slice(rest.indexOf('>') + 1).trimStart()
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->', 4)
    if (end === -1) return ''
    rest = rest.slice(end + 3).trimStart()
  }
  return rest
}

/**
 * Returns the encoding that the server names. If the server names none, returns the encoding that the page names (HTML
 * standard §13.2.3.2, prescan). Default: UTF-8.
 */
function charsetOf(declared: string, head: string): string {
  const said = /charset\s*=\s*["']?([\w.:-]+)/i
  return (
    said.exec(declared)?.[1] ??
    said.exec(head.match(/<meta[^<>]*>/gi)?.find((tag) => /charset/i.test(tag)) ?? '')?.[1] ??
    'utf-8'
  )
}

function decoder(label: string): { decode(bytes: Uint8Array): string } {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
