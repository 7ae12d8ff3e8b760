import { S3Error } from './errors.ts'

/** Percent-encodes everything but RFC 3986 unreserved characters, as SigV4's UriEncode does. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Percent-encodes a path, keeping its slashes. */
export function encodePath(path: string): string {
  return path.split('/').map(encode).join('/')
}

/** Percent-decodes UTF-8 text; throws InvalidURI where it is not. */
export function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw new S3Error('InvalidURI', `Couldn't parse the specified URI: ${raw}`)
  }
}

/** Decodes a query string into its pairs, in the order sent; a name without `=` has the empty value. */
export function parseQuery(raw: string): [name: string, value: string][] {
  return raw
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=')
      const [name, value] = at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + 1)]
      return [decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))]
    })
}
