const keywords = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import in is
  lambda nonlocal not or pass raise return try while with yield`.split(/\s+/),
)

/** The arguments that every method has of its own. */
const taken = new Set(['self', 'idempotency_key', 'timeout', 'extra_fields'])

/** Whether a field can stand in a class as it is. */
export const isPlainName = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !keywords.has(name)

/** A field as the name of an argument: its own, with an underscore behind it where Python or the client uses that word. */
export const argumentName = (name: string): string => (keywords.has(name) || taken.has(name) ? `${name}_` : name)

/** A name as a class has it: `upload-parts` → `UploadParts`. */
export const className = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

/** A path's parameter as the name of an argument: `uploadId` → `upload_id`. */
export const snakeName = (name: string): string =>
  argumentName(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

/** Text as it may stand between three quotation marks. */
export const pythonText = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ').trim()
