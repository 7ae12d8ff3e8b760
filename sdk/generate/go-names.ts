const initialisms = new Set(
  'api,cors,css,csv,dkim,dmarc,dns,html,http,https,id,ip,json,mx,pdf,sms,smtp,sql,spf,ssl,tls,ttl,ui,uri,url,utc,uuid,xml'.split(
    ',',
  ),
)

/** Plural initialisms keep their lower-case ending: `ids` becomes `IDs`. */
const plurals = new Set(['ids', 'ips', 'urls'])

const keywords = new Set(
  'break,case,chan,const,continue,default,defer,else,fallthrough,for,func,go,goto,if,import,interface,map,package,range,return,select,struct,switch,type,var,ctx,body,query,options,c'.split(
    ',',
  ),
)

function word(text: string): string {
  const lower = text.toLowerCase()
  if (initialisms.has(lower)) return lower.toUpperCase()
  if (plurals.has(lower)) return `${lower.slice(0, -1).toUpperCase()}s`
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const words = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/)

/** Returns an exported name: `app_id` becomes `AppID`. */
export function exportedName(name: string): string {
  const joined = words(name)
    .filter((part) => part !== '')
    .map(word)
    .join('')
  return /^[A-Za-z]/.test(joined) ? joined : `X${joined}`
}

/** Returns the name of a parameter: `upload_id` becomes `uploadID`. */
export function parameterName(name: string): string {
  const [first = '', ...rest] = words(name)
  const joined = first.toLowerCase() + rest.map(word).join('')
  return keywords.has(joined) ? `${joined}_` : joined
}

/** Returns a comment. gofmt changes lists and headings in comments, so the text is one paragraph. */
export function goComment(text: string, indent = ''): string {
  const joined = text.replace(/\s+/g, ' ').trim()
  if (joined === '') return ''
  const lines: string[] = []
  for (const one of joined.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + one.length > 108) lines.push(one)
    else lines[lines.length - 1] = `${last} ${one}`
  }
  return lines.map((line) => `${indent}// ${line}\n`).join('')
}
