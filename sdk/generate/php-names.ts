const pascal = (name: string) =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')

/** Class names that PHP reserves. */
const reserved = new Set(['list', 'public', 'private', 'class', 'function', 'default', 'match', 'switch', 'use'])

/** Returns a class name: `upload-parts` becomes `UploadParts`. */
export const phpClass = (name: string): string => (reserved.has(name.toLowerCase()) ? `${pascal(name)}_` : pascal(name))

/** Returns the name of a variable: `upload_id` becomes `uploadId`. */
export const phpVariable = (name: string): string => {
  const joined = pascal(name)
  return joined.charAt(0).toLowerCase() + joined.slice(1)
}

/** Returns the text of a comment without its end. */
export const phpText = (text: string): string => text.replaceAll('*/', '* /').replace(/^@/gm, '\\@').trim()

export const phpComment = (lines: string[], indent: string): string =>
  `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
