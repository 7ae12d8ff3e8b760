import type { Reason } from '#tasks/files/engine.ts'

const shown =
  'pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|txt|csv|html?|jpe?g|png|gif|bmp|svg|webp|heic|mp3|mp4|mov|avi|zip|rar|7z'
/** File extensions that a system runs or mounts when opened. Software archives do not need them. */
const always =
  'scr|pif|hta|vbs|vbe|jse|ws|wsf|wsh|wsc|sct|command|terminal|shb|scf|cpl|xll|wll|appref-ms|settingcontent-ms|library-ms|search-ms|searchconnector-ms|themepack|desklink|mapimail|diagcab|gadget|msc|slk|iqy|vhdx'
/** File extensions that a system runs, and that are parts of software in an archive. */
const bySystem =
  'exe|com|lnk|msi|msp|mst|application|reg|url|website|jnlp|dmg|rdp|inetloc|fileloc|webloc|workflow|desktop'
/**
 * File extensions of source text that people share directly and in archives. They can be mistaken for something else.
 */
const source = 'js|sh|py|ps1|bat|cmd'
const run = `${always}|${bySystem}|${source}|jar|iso|img|vhd|chm|apk`
const twice = new RegExp(`\\.(?:${shown})[\\s._\\u00a0\\u2000-\\u200f-]*\\.(?:${run})$`, 'i')
const runsAlone = new RegExp(`\\.(?:${always}|${bySystem})$`, 'i')
const runsAnywhere = new RegExp(`\\.(?:${always})$`, 'i')

/** Characters that change the direction of the following text. `gpj.exe` then reads as `exe.jpg`. */
const turning = /[\u202a-\u202e\u2066-\u2068]/

/**
 * Returns the last part of a path as stored on a disk. Windows removes dots and spaces at the end of the name, and
 * opens a stream after a colon.
 */
function lastParts(path: string): string[] {
  const name = path.split(/[/\\]/).findLast((part) => part !== '') ?? ''
  return [name, name.split(':')[0] ?? ''].map((part) => part.replace(/(?<![\s.])[\s.]+$/, ''))
}

export function findNameFaults(path: string, isEntry: boolean): Reason[] {
  const names = lastParts(path)
  const isFolder = path.endsWith('/')
  const faults: Reason[] = []
  if (names.some((name) => turning.test(name)))
    faults.push({
      code: 'direction_override',
      detail: 'The file name changes the reading direction, so that it shows a different extension.',
    })
  if (!isFolder && names.some((name) => twice.test(name)))
    faults.push({
      code: 'double_extension',
      detail: 'The file name shows a document extension before a program extension.',
    })
  if (!isFolder && names.some((name) => (isEntry ? runsAnywhere : runsAlone).test(name)))
    faults.push({
      code: 'executable',
      detail: 'The file name belongs to a program or a script that runs when it is opened.',
    })
  return faults
}

/** Returns the reason why an entry cannot be unpacked under its name, or `null`. */
export function findUnsafePath(path: string): string | null {
  const parts = path.split(/[/\\]/)
  if (/^[/\\]|^[a-z]:/i.test(path)) return 'An entry has an absolute path.'
  if (parts.includes('..')) return 'An entry has a path that leads outside its folder.'
  return null
}
