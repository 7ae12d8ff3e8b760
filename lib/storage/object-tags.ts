const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Parses the tags of an object as S3 returns them. */
export function readTags(xml: string): Map<string, string> {
  const tags = new Map<string, string>()
  for (const part of xml.split('<Tag>').slice(1)) {
    const [tag = ''] = part.split('</Tag>', 1)
    const key = contentOf(tag, 'Key')
    if (key !== '') tags.set(key, contentOf(tag, 'Value'))
  }
  return tags
}

export const writeTags = (tags: ReadonlyMap<string, string>): string =>
  `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${[...tags]
    .map(([key, value]) => `<Tag><Key>${encode(key)}</Key><Value>${encode(value)}</Value></Tag>`)
    .join('')}</TagSet></Tagging>`

const contentOf = (tag: string, name: 'Key' | 'Value'): string =>
  decode(new RegExp(`<${name}>([^<]*)</${name}>`).exec(tag)?.[1] ?? '')

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return entities[String(name)] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const encode = (text: string): string => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`)
