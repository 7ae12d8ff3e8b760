import { S3Error } from './errors.ts'

/** Percent-encodes everything except RFC 3986 unreserved characters, like SigV4’s UriEncode. */
export function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

export function encodePath(path: string): string {
  return path.split('/').map(encode).join('/')
}

export function decode(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw new S3Error('InvalidURI', `Couldn't parse the specified URI: ${raw}`)
  }
}

/** Parses a query string to pairs in order. A name without `=` has an empty value. */
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
