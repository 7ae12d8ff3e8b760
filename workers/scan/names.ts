import type { Reason } from './verdict.ts'

/** Endings that a person takes for something to look at. */
const shown = 'pdf|docx?|xlsx?|pptx?|odt|ods|odp|rtf|txt|csv|jpe?g|png|gif|bmp|webp|heic|mp3|mp4|mov|avi|zip|rar'
/** Endings that a system runs when they are opened. */
const run =
  'exe|scr|com|pif|bat|cmd|js|jse|vbs|vbe|wsf|wsh|hta|lnk|msi|jar|ps1|cpl|iso|img|vhdx?|reg|application|apk|dmg|sh'
const twice = new RegExp(`\\.(?:${shown})[\\s._\\u00a0\\u2000-\\u200f-]*\\.(?:${run})$`, 'i')

/** Endings of what the shell of Windows runs and no magic tells. */
const shellFiles = /\.(?:exe|scr|com|pif|bat|cmd|jse|vbs|vbe|wsf|wsh|hta|lnk|msi|cpl|ps1|reg|scf|url)$/i
const shellFilesInArchives = /\.(?:scr|pif|hta|jse|vbe|wsf|scf|cpl)$/i

/** The characters that turn the direction of what follows: `gpj.exe` then reads as `exe.jpg`. */
const turning = /[\u202a-\u202e\u2066\u2067]/

/** What is wrong with the name of a file, or of an entry of an archive, by its last part alone. */
export function faultsOfName(path: string, isEntry: boolean): Reason[] {
  const name = (path.split(/[/\\]/).findLast((part) => part !== '') ?? '').replace(/[\s.]+$/, '')
  const faults: Reason[] = []
  if (turning.test(name))
    faults.push({
      code: 'direction_override',
      detail: 'Its name turns the direction of reading, so that it shows another ending.',
    })
  if (twice.test(name))
    faults.push({
      code: 'double_extension',
      detail: 'Its name shows the ending of a document before that of a program.',
    })
  if ((isEntry ? shellFilesInArchives : shellFiles).test(name))
    faults.push({
      code: 'executable',
      detail: 'Its name is that of a program or a script that runs when it is opened.',
    })
  return faults
}

/** Why an entry may not be unpacked under its name; null when it may. */
export function unsafePath(path: string): string | null {
  const parts = path.split(/[/\\]/)
  if (/^[/\\]|^[a-z]:/i.test(path)) return 'An entry has an absolute path.'
  if (parts.includes('..')) return 'An entry has a path that leads out of its folder.'
  return null
}
