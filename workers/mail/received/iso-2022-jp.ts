/** Escape sequence before Japanese characters (RFC 1468, and JIS X 0212 of RFC 2237). */
const firstEscape = '\u001b$'

/**
 * Converts undeclared ISO-2022-JP to UTF-8 in the header, and in a body that is a single text without a charset. Other
 * emails and attached files are unchanged.
 */
export function withUtf8Header(mail: Buffer): Buffer {
  const end = endOfHeader(mail)
  const header = mail.toString('latin1', 0, end)
  const isAlone = !/charset|multipart\/|content-transfer-encoding:\s*(?:base64|quoted)/i.test(header)
  const whole = isAlone && isUnannounced(mail.toString('latin1'))
  if (whole) return Buffer.from(decode(mail))
  return isUnannounced(header) ? Buffer.concat([Buffer.from(decode(mail.subarray(0, end))), mail.subarray(end)]) : mail
}

/** Decodes ISO-2022-JP that was read as ASCII. */
export const decodeEscapes = (text: string): string =>
  isUnannounced(text) ? decode(Buffer.from(text, 'latin1')) : text

// biome-ignore lint/suspicious/noControlCharactersInRegex: the octets of ASCII.
const isUnannounced = (text: string): boolean => text.includes(firstEscape) && !/[^\u0000-\u007f]/.test(text)

const decode = (bytes: Uint8Array): string => new TextDecoder('iso-2022-jp').decode(bytes)

function endOfHeader(mail: Buffer): number {
  const ends = ['\r\n\r\n', '\n\n'].map((gap) => mail.indexOf(gap)).filter((at) => at >= 0)
  return ends.length > 0 ? Math.min(...ends) : mail.length
}
