/** Returns the relaxed body (RFC 6376 §3.4.4). Line ends must be CRLF. */
export function relaxedBody(body: Buffer): Buffer {
  const text = body.toString('latin1')
  // Most bodies contain no white space to reduce.
  const reduced = /[ \t]{2}|\t|[ \t]\r\n|[ \t]$/.test(text)
    ? text.replace(/[ \t]+/g, ' ').replace(/ (?=\r\n|$)/g, '')
    : text
  let end = reduced.length
  while (end >= 2 && reduced[end - 1] === '\n' && reduced[end - 2] === '\r') end -= 2
  return end === 0 ? Buffer.alloc(0) : Buffer.from(`${reduced.slice(0, end)}\r\n`, 'latin1')
}

/** Returns the relaxed header field without its CRLF (RFC 6376 §3.4.2). */
export function relaxedField(name: string, value: string): string {
  return `${name.toLowerCase()}:${value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim()}`
}
