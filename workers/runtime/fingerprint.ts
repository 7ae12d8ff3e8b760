const longest = 300

/**
 * Returns the part of a message that similar errors share: the words without numbers, IDs, quoted values, addresses and
 * paths.
 */
export function fingerprint(message: string): string {
  return (
    message
      .slice(0, 2_000)
      // linear enough: at most 2,000 characters, which the slice above leaves
      .replace(/"(?:[^"\\]|\\.)*"|`[^`]*`|(?<![a-z])'(?:[^'\\]|\\.)*'|“[^”]*”|‘[^’]*’/gi, '…')
      // linear enough: at most 2,000 characters, which the slice above leaves
      .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s)>,]+/gi, '‹url›')
      // linear enough: at most 2,000 characters, which the slice above leaves
      .replace(/[\w.+-]+@[\w-]+\.[\w.-]+/g, '‹address›')
      .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '‹id›')
      .replace(/(?<![\w‹])(?:\.{0,2}\/[\w.@%+~-]+)+\/?/g, '‹path›')
      .replace(/\b(?=[a-z]*\d)[0-9a-z_-]{16,}\b/gi, '‹id›')
      .replace(/\b(?=\d*[a-f]*\d)[0-9a-f]{8,}\b/gi, '‹id›')
      .replace(/\d+(?:[.,:]\d+)*/g, '#')
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, longest)
  )
}
