const keywords = new Set(
  `False,None,True,and,as,assert,async,await,break,class,continue,def,del,elif,else,except,finally,for,from,global,if,import,in,is,
lambda,nonlocal,not,or,pass,raise,return,try,while,with,yield`.split(/,\s*/),
)

const taken = new Set(['self', 'idempotency_key', 'timeout', 'extra_fields'])

/** True if a field name can be used as a name in a Python class. */
export const isPlainName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name)

/** Returns the argument name of a field. Appends an underscore to words that Python or the client uses. */
export const argumentName = (name: string): string => (keywords.has(name) || taken.has(name) ? `${name}_` : name)

/** Returns a class name: `upload-parts` becomes `UploadParts`. */
export const className = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

/** Returns the argument name of a path parameter: `uploadId` becomes `upload_id`. */
export const snakeName = (name: string): string =>
  argumentName(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

export const pythonText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ').trim()
