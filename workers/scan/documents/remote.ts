/** Whether the address of a template leads to another machine; one of a file does unless a drive or a path on this one follows. */
export function isRemote(target: string): boolean {
  const plain = target.replaceAll('\\', '/')
  const [, slashes = '', rest = ''] = /^file:(\/*)(.*)$/is.exec(plain) ?? []
  if (!/^file:/i.test(plain)) return /^(?:https?|ftp|mhtml|ms-[\w-]+):|^\/\//i.test(plain)
  if (/^(?:localhost\/)?[a-z][:|]/i.test(rest)) return false
  return slashes.length === 2 ? !/^localhost\//i.test(rest) : slashes.length > 3
}
